//! The models of the book are read without complaint, compile and build.

use gelenk_model::{compile, parse_model};

#[test]
fn every_model_of_the_reference_builds() {
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/model-file.md");
    let text = std::fs::read_to_string(page).unwrap();
    let models = text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut names = Vec::new();
    for model in models {
        let name = model.lines().next().unwrap().trim_start_matches("# ");
        let loaded = parse_model(model, None).unwrap_or_else(|failure| panic!("{name}\n{failure}"));
        assert_eq!(loaded.warnings.render(&loaded.sources), "", "{name}");
        let compiled = compile(&loaded, &mut |_| Err("no tables here".into()));
        compiled.unwrap_or_else(|failure| panic!("{name}\n{failure}")).build().unwrap();
        names.push(name.to_owned());
    }
    assert!(names.len() >= 7, "{names:?}");
}
