//! XML as a flat list of elements with their places; included files are spliced in.
//!
//! Elements name their children by number, so that neither walking nor dropping a deep tree recurses.

use crate::assets::Assets;
use gelenk_file::report::{Diagnostic, Report};
use gelenk_file::source::{Sources, Span};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Largest file that is read.
const LARGEST: u64 = 64 << 20;
/// Nodes in one file at most.
const MOST_NODES: u32 = 4_000_000;
/// Files that one model may include.
const MOST_FILES: usize = 256;
/// Elements inside each other at most; a mechanism of that many bodies in a row is no robot.
const DEEPEST: usize = 2000;

/// An attribute with its place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) span: Span,
}

/// An element; those of xacro have names that begin with `xacro:`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    /// The tag, without its attributes.
    pub(crate) span: Span,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) children: Vec<usize>,
    /// The text in an element that has no elements in it.
    pub(crate) text: Option<Attribute>,
}

/// The elements of a file and of those it includes.
pub(crate) struct Document {
    pub(crate) sources: Sources,
    elements: Vec<Element>,
    /// Where included files are looked for first; none for a mere text.
    base: Option<PathBuf>,
    /// The first sign that xacro has to expand the file, and its place.
    xacro: Option<(Span, String)>,
}

impl Document {
    pub(crate) fn new(base: Option<PathBuf>) -> Self {
        Self { sources: Sources::default(), elements: Vec::new(), base, xacro: None }
    }

    /// The folder of the file; none for a mere text.
    pub(crate) fn base(&self) -> Option<&Path> {
        self.base.as_deref()
    }

    /// The first sign that xacro has to expand the file, and its place.
    pub(crate) fn xacro(&self) -> Option<(Span, &str)> {
        self.xacro.as_ref().map(|(span, sign)| (*span, sign.as_str()))
    }

    /// Adds an element and returns its number.
    pub(crate) fn add(&mut self, element: Element) -> usize {
        self.elements.push(element);
        self.elements.len() - 1
    }

    /// Gives an element other children.
    pub(crate) fn set_children(&mut self, element: usize, children: Vec<usize>) {
        if let Some(element) = self.elements.get_mut(element) {
            element.children = children;
        }
    }

    /// The text in an element.
    pub(crate) fn text(&self, element: usize) -> Option<&Attribute> {
        self.elements.get(element)?.text.as_ref()
    }

    /// The name of an element; empty for one that does not exist.
    pub(crate) fn name(&self, element: usize) -> &str {
        self.elements.get(element).map_or("", |element| element.name.as_str())
    }

    /// The place of an element's tag.
    pub(crate) fn span(&self, element: usize) -> Span {
        self.elements.get(element).map_or_else(Span::default, |element| element.span)
    }

    /// The attributes of an element.
    pub(crate) fn attributes(&self, element: usize) -> &[Attribute] {
        self.elements.get(element).map_or(&[], |element| element.attributes.as_slice())
    }

    /// An attribute of an element.
    pub(crate) fn attribute(&self, element: usize, name: &str) -> Option<&Attribute> {
        self.attributes(element).iter().find(|attribute| attribute.name == name)
    }

    /// The children of an element.
    pub(crate) fn children(&self, element: usize) -> impl DoubleEndedIterator<Item = usize> {
        self.elements.get(element).map_or(&[][..], |element| element.children.as_slice()).iter().copied()
    }

    /// The children with this name.
    pub(crate) fn named(&self, element: usize, name: &str) -> impl DoubleEndedIterator<Item = usize> {
        self.children(element).filter(move |child| self.name(*child) == name)
    }

    /// The first child with this name.
    pub(crate) fn child(&self, element: usize, name: &str) -> Option<usize> {
        self.named(element, name).next()
    }

    /// Everything inside an element, in the order of the file.
    pub(crate) fn descendants(&self, element: usize) -> Vec<usize> {
        let mut stack: Vec<usize> = self.children(element).rev().collect();
        let mut list = Vec::new();
        while let Some(next) = stack.pop() {
            list.push(next);
            stack.extend(self.children(next).rev());
        }
        list
    }

    /// Reads a file and returns its root; `from` is the place that includes it.
    pub(crate) fn read(&mut self, path: &Path, from: Option<Span>, report: &mut Report) -> Option<usize> {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(reason) => {
                let span = from.unwrap_or_else(|| super::nowhere(&mut self.sources, path));
                let message = format!("\"{}\" cannot be read: {reason}", path.display());
                report.push(Diagnostic::error(span, message));
                return None;
            }
        };
        let file = self.sources.add_file(path, text);
        self.parse(file, report)
    }

    /// Parses one of the sources and returns its root.
    pub(crate) fn parse(&mut self, file: usize, report: &mut Report) -> Option<usize> {
        let text = self.sources.get(file).map(|source| source.text.clone()).unwrap_or_default();
        let options = roxmltree::ParsingOptions { nodes_limit: MOST_NODES, ..Default::default() };
        let tree = match roxmltree::Document::parse_with_options(&text, options) {
            Ok(tree) => tree,
            Err(error) => {
                report.push(match error {
                    // The prefix is used, but its namespace is not declared.
                    roxmltree::Error::UnknownNamespace(ref prefix, _) if prefix == "xacro" => {
                        let help = "declare the prefix in the root element, xmlns:xacro=\"http://www.ros.org/wiki/xacro\"; \
                                    the macros are then expanded";
                        xacro(syntax_error(&text, file, &error).span, "<xacro:...>", help)
                    }
                    _ => syntax_error(&text, file, &error),
                });
                return None;
            }
        };
        let first = self.elements.len();
        let mut depths: Vec<usize> = Vec::new();
        let mut numbers: Vec<Option<usize>> = Vec::new();
        for node in tree.root().descendants().filter(|node| node.is_element()) {
            let id = node.id().get_usize();
            let parent = node.parent().and_then(|parent| *numbers.get(parent.id().get_usize())?);
            let depth = parent.and_then(|parent| depths.get(parent - first)).map_or(0, |depth| depth + 1);
            let start = node.range().start;
            let tag = node.tag_name();
            let span = Span { file, start, end: start + 1 + tag_length(&text, start + 1) };
            if depth > DEEPEST {
                let message = format!("elements are nested more than {DEEPEST} times");
                report.push(Diagnostic::error(span, message));
                return None;
            }
            let of_xacro = tag.namespace().is_some_and(|space| space.contains("xacro"));
            if of_xacro && self.xacro.is_none() {
                self.xacro = Some((span, format!("<xacro:{}>", tag.name().escape_debug())));
            }
            let macros = |value: &str| value.contains("${") || value.contains("$(");
            if let Some(attribute) = node.attributes().find(|attribute| macros(attribute.value()))
                && self.xacro.is_none()
            {
                let range = attribute.range_value();
                let span = Span { file, start: range.start, end: range.end };
                let sign = if attribute.value().contains("${") { "${...}" } else { "$(...)" };
                self.xacro = Some((span, sign.to_owned()));
            }
            let text = node.first_child().filter(|child| child.is_text() && child.next_sibling().is_none());
            let text = text.map(|text| {
                let range = text.range();
                let span = Span { file, start: range.start, end: range.end };
                let value = text.text().unwrap_or_default().to_owned();
                Attribute { name: tag.name().to_owned(), value, span }
            });
            let text = text.filter(|text| !text.value.trim().is_empty());
            let attributes = node.attributes().map(|attribute| {
                let range = attribute.range_value();
                let span = Span { file, start: range.start, end: range.end };
                Attribute { name: attribute.name().to_owned(), value: attribute.value().to_owned(), span }
            });
            let number = self.elements.len();
            let name = if of_xacro { format!("xacro:{}", tag.name()) } else { tag.name().to_owned() };
            self.elements.push(Element {
                name,
                span,
                attributes: attributes.collect(),
                children: Vec::new(),
                text,
            });
            depths.push(depth);
            if numbers.len() <= id {
                numbers.resize(id + 1, None);
            }
            numbers[id] = Some(number);
            if let Some(parent) = parent.and_then(|parent| self.elements.get_mut(parent)) {
                parent.children.push(number);
            }
        }
        (self.elements.len() > first).then_some(first)
    }

    /// Replaces every `<include file="..."/>` under `root` by the content of that file. Only files that `assets` admits
    /// are read.
    pub(crate) fn include(&mut self, root: usize, assets: &mut Assets, report: &mut Report) {
        let main = self.sources.get(self.span(root).file).and_then(|file| file.path.canonicalize().ok());
        let mut included: BTreeSet<PathBuf> = main.into_iter().collect();
        let mut open = vec![root];
        while let Some(element) = open.pop() {
            // Content of included files may include further ones.
            let mut queue: Vec<usize> = self.children(element).rev().collect();
            let mut children = Vec::new();
            while let Some(child) = queue.pop() {
                if self.name(child) != "include" {
                    children.push(child);
                    continue;
                }
                if let Some(root) = self.included(child, &mut included, assets, report) {
                    queue.extend(self.children(root).rev());
                }
            }
            open.extend(children.iter().copied());
            if let Some(element) = self.elements.get_mut(element) {
                element.children = children;
            }
        }
    }

    fn included(
        &mut self,
        element: usize,
        included: &mut BTreeSet<PathBuf>,
        assets: &mut Assets,
        report: &mut Report,
    ) -> Option<usize> {
        let span = self.span(element);
        let Some(attribute) = self.attribute(element, "file").cloned() else {
            report.push(Diagnostic::error(span, "<include> needs the attribute \"file\""));
            return None;
        };
        if self.base.is_none() {
            report
                .push(Diagnostic::error(attribute.span, "a description given as text cannot include files"));
            return None;
        }
        // MuJoCo starts from the main file; many people write the path from the including one.
        let own =
            self.sources.get(attribute.span.file).and_then(|file| file.path.parent()?.canonicalize().ok());
        let own = own.map(|folder| folder.display().to_string()).unwrap_or_default();
        let path = match assets.resolve(&attribute.value, "") {
            Ok(path) if path.is_file() => Ok(path),
            first => assets.resolve(&attribute.value, &own).or(first),
        };
        let path = match path {
            Ok(path) => path,
            Err(reason) => {
                let message =
                    format!("\"{}\" cannot be included: {reason}", super::names::shown(&attribute.value));
                report.push(Diagnostic::error(attribute.span, message));
                return None;
            }
        };
        if !included.insert(path.clone()) {
            report.push(Diagnostic::error(attribute.span, "this file is already included"));
            return None;
        }
        if included.len() > MOST_FILES {
            let message = format!("more than {MOST_FILES} included files");
            report.push(Diagnostic::error(attribute.span, message));
            return None;
        }
        self.read(&path, Some(attribute.span), report)
    }
}

/// A file with macros that are not expanded here.
pub(crate) fn xacro(span: Span, sign: &str, help: &str) -> Diagnostic {
    let message = format!("this file is an unexpanded xacro: it contains {sign}");
    Diagnostic::error(span, message).help(help)
}

fn read_text(path: &Path) -> Result<String, String> {
    let reason = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::InvalidData => "not UTF-8 text".to_owned(),
        _ => error.to_string(),
    };
    let size = std::fs::metadata(path).map_err(reason)?;
    if size.is_dir() {
        return Err("it is a folder".to_owned());
    }
    // A device or a pipe may never end.
    if !size.is_file() {
        return Err("it is not a file".to_owned());
    }
    if size.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    std::fs::read_to_string(path).map_err(reason)
}

/// Length of the name that begins at a byte.
fn tag_length(text: &str, start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    rest.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(rest.len())
}

/// An error of the parser at the place it names.
fn syntax_error(text: &str, file: usize, error: &roxmltree::Error) -> Diagnostic {
    let position = error.pos();
    let line = usize::try_from(position.row).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(position.col).unwrap_or(1).saturating_sub(1);
    let line_start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = text.get(line_start..).unwrap_or_default();
    let offset: usize = rest.chars().take(column).map(char::len_utf8).sum();
    let start = line_start + offset;
    // The parser repeats the position at the end of its message.
    let message = error.to_string();
    let message = message.rsplit_once(" at ").map_or(message.as_str(), |(said, _)| said);
    Diagnostic::error(Span { file, start, end: start }, format!("invalid XML: {message}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (Document, Option<usize>, Report) {
        let mut document = Document::new(None);
        let mut report = Report::new();
        let file = document.sources.add("robot.xml", text);
        let root = document.parse(file, &mut report);
        (document, root, report)
    }

    #[test]
    fn elements_and_attributes_know_their_places() {
        let (document, root, report) = parse("<?xml version=\"1.0\"?>\n<a>\n  <b  x = '1 2'/>\n</a>");
        assert!(report.is_empty());
        let b = document.child(root.unwrap(), "b").unwrap();
        assert_eq!(document.sources.text(document.span(b)), "<b");
        let x = document.attribute(b, "x").unwrap();
        assert_eq!((document.sources.text(x.span), document.sources.position(x.span).line), ("1 2", 3));
    }

    #[test]
    fn syntax_errors_name_their_line() {
        let (document, root, report) = parse("<a>\n  <b>\n</a>");
        assert_eq!(root, None);
        let text = report.render(&document.sources);
        assert!(text.contains("robot.xml:3:"), "{text}");
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_exhaust_the_stack() {
        let deep = 100_000;
        let (document, root, report) = parse(&("<a>".repeat(deep) + &"</a>".repeat(deep)));
        assert_eq!(root, None);
        assert!(report.render(&document.sources).contains("are nested more than"));
    }
}
