//! Xacro: macros, properties, conditions, included files and arithmetic of a robot description, expanded without Python.
//!
//! | file | content |
//! |---|---|
//! | `mod` | elements: properties, arguments, conditions, macros, included files |
//! | `text` | `${...}` and `$(...)` in attributes and texts |
//! | `expression` | what is inside `${...}` |
//! | `value` | numbers, texts, truth values and lists |
//! | `parameters` | parameters of macros |
//!
//! Elements keep the places that they have in their files, so that messages about the robot name lines that a person wrote.

mod expression;
mod parameters;
mod text;
mod value;

use crate::assets::Assets;
use crate::names::shown;
use crate::xml::{Attribute, Document, Element};
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::Span;
use gelenk_math::suggest::closest;
use parameters::{Fallback, Parameter};
use std::collections::BTreeMap;
use std::path::PathBuf;
use value::Value;

/// Elements that an expansion may make.
const MOST: usize = 300_000;
/// Macros, included files and elements inside each other at most.
const DEEPEST: usize = 250;

/// What the name of a property stands for.
#[derive(Clone, Debug)]
enum Property {
    /// A text of the file, evaluated where it is used.
    Text(String, Span),
    Value(Value),
    /// Elements that `insert_block` inserts.
    Block(Vec<usize>),
}

#[derive(Clone)]
struct Macro {
    parameters: Vec<Parameter>,
    element: usize,
}

/// Stops the expansion; the report has the reason.
struct Stopped;

type Done<T> = Result<T, Stopped>;

struct Expander<'d> {
    document: &'d mut Document,
    assets: &'d mut Assets,
    report: &'d mut Report,
    scopes: Vec<BTreeMap<String, Property>>,
    arguments: BTreeMap<String, String>,
    macros: BTreeMap<String, Macro>,
    /// Files that are being included.
    including: Vec<PathBuf>,
    /// Properties that are being evaluated.
    evaluating: Vec<String>,
    made: usize,
    depth: usize,
}

/// Expands a document and returns its new root; complaints go to the report.
pub(crate) fn expand(
    document: &mut Document,
    root: usize,
    arguments: &[(String, String)],
    assets: &mut Assets,
    report: &mut Report,
) -> Option<usize> {
    let own = document.sources.get(document.span(root).file).and_then(|file| file.path.canonicalize().ok());
    let mut expander = Expander {
        document,
        assets,
        report,
        scopes: vec![BTreeMap::new()],
        arguments: arguments.iter().cloned().collect(),
        macros: BTreeMap::new(),
        including: own.into_iter().collect(),
        evaluating: Vec::new(),
        made: 0,
        depth: 0,
    };
    expander.element(root).ok()
}

impl Expander<'_> {
    fn stop<T>(&mut self, diagnostic: Diagnostic) -> Done<T> {
        self.report.push(diagnostic);
        Err(Stopped)
    }

    fn nested<T>(&mut self, span: Span, action: impl FnOnce(&mut Self) -> Done<T>) -> Done<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("elements and macros are nested more than {DEEPEST} times");
            return self.stop(Diagnostic::error(span, message));
        }
        let done = action(self);
        self.depth -= 1;
        done
    }

    /// A plain element with its attributes evaluated and its contents expanded.
    fn element(&mut self, from: usize) -> Done<usize> {
        let span = self.document.span(from);
        self.made += 1;
        if self.made > MOST {
            return self
                .stop(Diagnostic::error(span, format!("the macros expand to more than {MOST} elements")));
        }
        let mut attributes = Vec::new();
        for attribute in self.document.attributes(from).to_vec() {
            let value = self.text(&attribute.value, attribute.span)?.text();
            attributes.push(Attribute { value, ..attribute });
        }
        let text = match self.document.text(from).cloned() {
            Some(text) => Some(Attribute { value: self.text(&text.value, text.span)?.text(), ..text }),
            None => None,
        };
        let children = self.nested(span, |expander| expander.contents(from, Some(&mut attributes)))?;
        let name = self.document.name(from).to_owned();
        Ok(self.document.add(Element { name, span, attributes, children, text }))
    }

    /// What is inside an element. `attributes` are those of the element, which `xacro:attribute` adds to.
    fn contents(&mut self, from: usize, mut attributes: Option<&mut Vec<Attribute>>) -> Done<Vec<usize>> {
        let children: Vec<usize> = self.document.children(from).collect();
        let mut made = Vec::new();
        for child in children {
            let name = self.document.name(child).to_owned();
            let Some(word) = name.strip_prefix("xacro:") else {
                made.push(self.element(child)?);
                continue;
            };
            match word {
                "property" => self.property(child)?,
                "arg" => self.argument(child)?,
                "macro" => self.define(child)?,
                "include" => made.extend(self.include(child)?),
                "if" | "unless" => {
                    if self.holds(child)? == (word == "if") {
                        let span = self.document.span(child);
                        made.extend(self.nested(span, |expander| expander.contents(child, None))?);
                    }
                }
                "insert_block" => made.extend(self.insert(child)?),
                "attribute" => {
                    let (name, value) = (self.required(child, "name")?, self.required(child, "value")?);
                    let value = Attribute { name: name.value, ..value };
                    match attributes.as_deref_mut() {
                        Some(list) => {
                            list.retain(|known| known.name != value.name);
                            list.push(value);
                        }
                        None => {
                            let message = "<xacro:attribute> must be a direct child of the element";
                            return self.stop(Diagnostic::error(self.document.span(child), message));
                        }
                    }
                }
                "element" | "call" => {
                    let message = format!("<xacro:{word}> is not supported");
                    let help = "expand the file first: xacro robot.urdf.xacro > robot.urdf";
                    return self.stop(Diagnostic::error(self.document.span(child), message).help(help));
                }
                _ => made.extend(self.call(child, word)?),
            }
        }
        Ok(made)
    }

    /// An attribute that must be there, evaluated.
    fn required(&mut self, element: usize, name: &str) -> Done<Attribute> {
        match self.optional(element, name)? {
            Some(attribute) => Ok(attribute),
            None => {
                let message = format!("<{}> needs the attribute \"{name}\"", self.document.name(element));
                self.stop(Diagnostic::error(self.document.span(element), message))
            }
        }
    }

    fn optional(&mut self, element: usize, name: &str) -> Done<Option<Attribute>> {
        let Some(attribute) = self.document.attribute(element, name).cloned() else { return Ok(None) };
        let value = self.text(&attribute.value, attribute.span)?.text();
        Ok(Some(Attribute { value, ..attribute }))
    }

    fn holds(&mut self, element: usize) -> Done<bool> {
        let Some(attribute) = self.document.attribute(element, "value").cloned() else {
            self.required(element, "value")?;
            return Ok(false);
        };
        let value = self.text(&attribute.value, attribute.span)?;
        match value.condition() {
            Some(holds) => Ok(holds),
            None => {
                let message = format!("\"{}\" is neither true nor false", shown(&value.text()));
                self.stop(Diagnostic::error(attribute.span, message))
            }
        }
    }

    /// `<xacro:property name value/>`, or a block of elements.
    fn property(&mut self, element: usize) -> Done<()> {
        let name = self.required(element, "name")?;
        let given = self.document.attribute(element, "value").cloned();
        let default = self.document.attribute(element, "default").cloned();
        let scope = self.optional(element, "scope")?.map(|scope| scope.value);
        let known = self.scopes.iter().any(|scope| scope.contains_key(&name.value));
        let property = match (given, default) {
            (Some(value), _) => Property::Text(value.value, value.span),
            (None, Some(value)) => {
                if known {
                    return Ok(());
                }
                Property::Text(value.value, value.span)
            }
            (None, None) => {
                let span = self.document.span(element);
                let block = self.nested(span, |expander| expander.contents(element, None))?;
                Property::Block(block)
            }
        };
        let last = self.scopes.len() - 1;
        let place = match scope.as_deref() {
            None => last,
            Some("parent") => last.saturating_sub(1),
            Some("global") => 0,
            Some(other) => {
                let message = format!("there is no scope \"{}\"", shown(other));
                return self.stop(Diagnostic::error(name.span, message).help("use \"parent\" or \"global\""));
            }
        };
        // What leaves its scope has to be evaluated in it, and what uses its own old value before it is replaced.
        let own_value = matches!(&property, Property::Text(text, _) if known && text.contains(&name.value));
        let property = match property {
            Property::Text(text, span) if place != last || own_value => {
                Property::Value(self.text(&text, span)?)
            }
            other => other,
        };
        self.scopes[place].insert(name.value, property);
        Ok(())
    }

    fn argument(&mut self, element: usize) -> Done<()> {
        let name = self.required(element, "name")?.value;
        if let Some(default) = self.optional(element, "default")? {
            self.arguments.entry(name).or_insert(default.value);
        }
        Ok(())
    }

    fn define(&mut self, element: usize) -> Done<()> {
        let name = self.required(element, "name")?;
        let text = self.document.attribute(element, "params").cloned();
        let parameters = match text.as_ref().map(|text| parameters::parse(&text.value)) {
            None => Vec::new(),
            Some(Ok(parameters)) => parameters,
            Some(Err(reason)) => {
                let span = text.map_or(name.span, |text| text.span);
                return self.stop(Diagnostic::error(span, reason));
            }
        };
        let name = name.value.strip_prefix("xacro:").unwrap_or(&name.value).to_owned();
        self.macros.insert(name, Macro { parameters, element });
        Ok(())
    }

    /// The contents of a macro with the parameters of a call.
    fn call(&mut self, element: usize, name: &str) -> Done<Vec<usize>> {
        let span = self.document.span(element);
        let Some(called) = self.macros.get(name).cloned() else {
            let message = format!("there is no macro \"{}\"", shown(name));
            let near = closest(name, self.macros.keys().map(String::as_str)).map(str::to_owned);
            return self.stop(Diagnostic::error(span, message).meant(near.as_deref()));
        };
        // The contents of the call belong to the scope around it.
        let mut blocks = self.nested(span, |expander| expander.contents(element, None))?.into_iter();
        let mut given = BTreeMap::new();
        for attribute in self.document.attributes(element).to_vec() {
            let known = |parameter: &Parameter| matches!(parameter, Parameter::Value { name, .. } if *name == attribute.name);
            if !called.parameters.iter().any(known) {
                let message =
                    format!("the macro \"{}\" has no parameter \"{}\"", shown(name), shown(&attribute.name));
                return self.stop(Diagnostic::error(attribute.span, message));
            }
            let value = self.text(&attribute.value, attribute.span)?;
            given.insert(attribute.name, literal(value));
        }
        let mut scope = BTreeMap::new();
        let mut defaults = Vec::new();
        for parameter in &called.parameters {
            match parameter {
                Parameter::Block { name: block, contents } => {
                    let Some(next) = blocks.next() else {
                        let message = format!("the macro \"{}\" needs the block \"{block}\"", shown(name));
                        return self.stop(Diagnostic::error(span, message));
                    };
                    let list = if *contents { self.document.children(next).collect() } else { vec![next] };
                    scope.insert(block.clone(), Property::Block(list));
                }
                Parameter::Value { name: parameter, fallback } => {
                    let value = match (given.remove(parameter), fallback) {
                        (Some(value), _) => Property::Value(value),
                        (None, Fallback::Outer(text)) => match (self.find(parameter).cloned(), text) {
                            (Some(outer), _) => outer,
                            (None, Some(text)) => Property::Text(text.clone(), span),
                            (None, None) => {
                                let message = format!(
                                    "no property \"{parameter}\" is defined where the macro is called"
                                );
                                return self.stop(Diagnostic::error(span, message));
                            }
                        },
                        (None, Fallback::Text(text)) => {
                            defaults.push((parameter.clone(), text.clone()));
                            continue;
                        }
                        (None, Fallback::Required) => {
                            let message = format!("the macro \"{}\" needs \"{parameter}\"", shown(name));
                            return self.stop(Diagnostic::error(span, message));
                        }
                    };
                    scope.insert(parameter.clone(), value);
                }
            }
        }
        self.scopes.push(scope);
        let done = self.nested(span, |expander| {
            // Defaults may use the other parameters.
            for (name, text) in defaults {
                let value = literal(expander.text(&text, span)?);
                if let Some(scope) = expander.scopes.last_mut() {
                    scope.insert(name, Property::Value(value));
                }
            }
            expander.contents(called.element, None)
        });
        self.scopes.pop();
        done
    }

    fn insert(&mut self, element: usize) -> Done<Vec<usize>> {
        let name = self.required(element, "name")?;
        let bare = name.value.trim_start_matches('*');
        match self.find(bare).cloned() {
            Some(Property::Block(list)) => {
                // A block may stand at several places, and each has its own elements.
                let mut copies = Vec::new();
                for item in list {
                    copies.push(self.element(item)?);
                }
                Ok(copies)
            }
            Some(_) => self.stop(Diagnostic::error(name.span, format!("\"{}\" is not a block", shown(bare)))),
            None => self.stop(Diagnostic::error(name.span, format!("there is no block \"{}\"", shown(bare)))),
        }
    }

    /// The contents of another file.
    fn include(&mut self, element: usize) -> Done<Vec<usize>> {
        let file = self.required(element, "filename")?;
        if self.document.attribute(element, "ns").is_some() {
            let message = "includes with a namespace (ns) are not supported";
            return self.stop(Diagnostic::error(self.document.span(element), message));
        }
        let here = self.document.sources.get(file.span.file).and_then(|source| source.path.parent());
        let here =
            here.map(|folder| if folder.as_os_str().is_empty() { ".".into() } else { folder.to_path_buf() });
        let here = here.and_then(|folder| folder.canonicalize().ok());
        let folder = here.map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
        let path = match self.assets.resolve(&file.value, &folder) {
            Ok(path) => path,
            Err(reason) => {
                let optional = self.optional(element, "optional")?;
                if optional.is_some_and(|optional| Value::literal(&optional.value).condition() == Some(true))
                {
                    return Ok(Vec::new());
                }
                let message = format!("\"{}\" cannot be included: {reason}", shown(&file.value));
                return self.stop(Diagnostic::error(file.span, message));
            }
        };
        if self.including.contains(&path) {
            return self.stop(Diagnostic::error(
                file.span,
                "this file includes itself, directly or through other files",
            ));
        }
        let Some(root) = self.document.read(&path, Some(file.span), self.report) else { return Err(Stopped) };
        self.including.push(path);
        let done = self.nested(file.span, |expander| expander.contents(root, None));
        self.including.pop();
        done
    }

    fn find(&self, name: &str) -> Option<&Property> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }
}

/// A text as what it means.
fn literal(value: Value) -> Value {
    match value {
        Value::Text(text) => Value::literal(&text),
        other => other,
    }
}
