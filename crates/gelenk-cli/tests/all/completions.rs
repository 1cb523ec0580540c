//! Completion scripts load in their shells and complete commands and options.

use std::path::Path;
use std::process::{Command, Output};

use super::support::{gelenk, text};

/// Runs a program, or says that it is skipped where it is not installed.
fn shell(program: &str, arguments: &[&str]) -> Option<Output> {
    match Command::new(program).args(arguments).env_remove("BASH_ENV").output() {
        Ok(output) => Some(output),
        Err(_) => {
            println!("skipped: completion in {program}, which is not installed");
            None
        }
    }
}

fn script(folder: &Path, name: &str) -> String {
    let output = gelenk(folder, &["completions", name]);
    assert!(output.status.success(), "{}", text(&output));
    let path = folder.join(format!("gelenk.{name}"));
    std::fs::write(&path, &output.stdout).unwrap();
    path.display().to_string()
}

#[test]
fn bash_completes() {
    let folder = tempfile::tempdir().unwrap();
    let file = script(folder.path(), "bash");
    let program = format!(
        r#"source '{file}' && complete -p gelenk &&
        COMP_WORDS=(gelenk equ) COMP_CWORD=1 && _gelenk gelenk equ gelenk && echo "command: ${{COMPREPLY[*]}}" &&
        COMP_WORDS=(gelenk run --output-) COMP_CWORD=2 && _gelenk gelenk --output- run && echo "option: ${{COMPREPLY[*]}}" &&
        COMP_WORDS=(gelenk run --method step) COMP_CWORD=3 && _gelenk gelenk step --method && echo "value: ${{COMPREPLY[*]}}""#
    );
    let Some(output) = shell("bash", &["--norc", "-c", &program]) else { return };
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    for expected in ["command: equilibrium", "option: --output-interval", "value: stepped stepped2"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

#[test]
fn zsh_completes() {
    let folder = tempfile::tempdir().unwrap();
    let file = script(folder.path(), "zsh");
    let dump = folder.path().join("dump").display().to_string();
    let program = format!(
        r#"autoload -U compinit && compinit -u -d '{dump}' && source '{file}' && whence -w _gelenk && print "${{_comps[gelenk]}}""#
    );
    let Some(output) = shell("zsh", &["-f", "-c", &program]) else { return };
    let said = text(&output);
    assert!(output.status.success() && said.contains("_gelenk: function\n_gelenk"), "{said}");
}

#[test]
fn fish_completes() {
    let folder = tempfile::tempdir().unwrap();
    let file = script(folder.path(), "fish");
    let program = format!(
        "source '{file}'; and complete -C 'gelenk equ'; and complete -C 'gelenk run --output-'; \
         and complete -C 'gelenk run --method step'"
    );
    let Some(output) = shell("fish", &["--no-config", "-c", &program]) else { return };
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    for expected in ["equilibrium\t", "--output-interval\t", "stepped2"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}

/// An unknown shell is refused with those there are.
#[test]
fn an_unknown_shell_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = gelenk(folder.path(), &["completions", "tcsh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("bash, elvish, fish, powershell, zsh"), "{}", text(&output));
}
