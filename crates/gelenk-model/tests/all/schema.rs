//! The JSON Schema comes from the same declarations as the reader.

use gelenk_model::{model_schema, study_schema};
use serde_json::Value;

fn walk(value: &Value, visit: &mut dyn FnMut(&Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        Value::Object(map) => map.values().for_each(|item| walk(item, visit)),
        _ => {}
    }
}

#[test]
fn every_reference_resolves_and_every_property_is_described() {
    for schema in [model_schema(), study_schema()] {
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        let mut references = 0;
        walk(&schema, &mut |value| {
            if let Some(target) = value.get("$ref").and_then(Value::as_str) {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(schema.pointer(pointer).is_some(), "{target}");
                references += 1;
            }
            if value.get("additionalProperties") == Some(&Value::Bool(false)) {
                for (key, property) in value["properties"].as_object().unwrap() {
                    let described = property.get("description").is_some() || property.get("$ref").is_some();
                    assert!(described || property.get("const").is_some(), "{key}");
                }
            }
        });
        assert!(references > 5);
    }
}

#[test]
fn required_keys_and_defaults_are_stated() {
    let schema = model_schema();
    let file = &schema["$defs"]["ModelFile"];
    assert_eq!(file["required"], serde_json::json!(["schema", "gravity"]));
    assert_eq!(schema["$defs"]["Joint"]["properties"]["axis"]["default"], serde_json::json!([0, 0, 1]));
    assert_eq!(schema["$defs"]["Joint"]["required"], serde_json::json!(["type", "parent", "child"]));
    let laws = schema["$defs"]["Friction"]["oneOf"].as_array().unwrap();
    assert_eq!(laws.len(), gelenk_laws::Friction::ALL.len());
}
