//! Any text is read or refused with a report; nothing panics, and what is accepted also builds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match gelenk_model::parse_model(text, None) {
        Ok(loaded) => {
            let _ = loaded.warnings.render(&loaded.sources);
            if let Ok(compiled) = gelenk_model::compile(&loaded, &mut |_| Err("no logs here".to_owned())) {
                let _ = compiled.validate();
                let _ = compiled.build();
            }
        }
        Err(failure) => {
            let _ = failure.report.render(&failure.sources);
        }
    }
    if let Err(failure) = gelenk_model::parse_study(text, None) {
        let _ = failure.report.render(&failure.sources);
    }
});
