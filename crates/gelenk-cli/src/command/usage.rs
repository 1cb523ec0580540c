//! Command lines that are wrong: exit code 2, like those that the parser of the options refuses.

use gelenk::fit::FitStudyError;
use gelenk::injury::InjuryError;
use gelenk::law::{RigError, SubjectError};
use gelenk::motion::MotionError;
use gelenk::motion_study::MotionStudyError;
use gelenk::open::OpenError;
use gelenk::picture::render::RenderError;
use gelenk::picture::scene::SceneError;
use gelenk::plot::PlotError;
use gelenk::splined::ConvertError;
use gelenk_io::{IoError, TableError};
use gelenk_record::RecordError;

use super::Refusal;

/// A wrong option, or a name on the command line that does not exist.
#[derive(Debug)]
pub struct Usage(String);

impl Usage {
    /// A refusal of the command line.
    pub fn refusal(message: impl Into<String>) -> Refusal {
        Box::new(Self(message.into()))
    }
}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Whether the command line is to blame, and not what it names.
pub fn is_usage(refusal: &Refusal) -> bool {
    let error: &(dyn std::error::Error + 'static) = refusal.as_ref();
    error.is::<Usage>()
        || error.is::<SubjectError>()
        || error.downcast_ref().is_some_and(open)
        || error.downcast_ref().is_some_and(motion_study)
        || matches!(error.downcast_ref(), Some(FitStudyError::Open(error)) if open(error))
        || matches!(error.downcast_ref(), Some(RigError::Kind(_)))
        || matches!(error.downcast_ref(), Some(RigError::Open(error)) if open(error))
        || matches!(error.downcast_ref(), Some(ConvertError::Request(_)))
        || matches!(error.downcast_ref(), Some(ConvertError::Open(error)) if open(error))
        || matches!(error.downcast_ref(), Some(InjuryError::Column { error }) if column(error))
        || matches!(error.downcast_ref(), Some(IoError::Record { source, .. }) if column(source))
        || error.downcast_ref().is_some_and(TableError::is_request)
        || matches!(error.downcast_ref(), Some(RenderError::Zoom(_) | RenderError::Pixels(_)))
        || matches!(error.downcast_ref(), Some(RenderError::Scene(SceneError::UnknownBody { .. })))
        || error.downcast_ref().is_some_and(plot)
        || error.downcast_ref().is_some_and(column)
}

fn open(error: &OpenError) -> bool {
    matches!(error, OpenError::Set(_) | OpenError::Usage(_))
}

fn motion_study(error: &MotionStudyError) -> bool {
    matches!(error, MotionStudyError::Motion(MotionError::Open(error)) if open(error))
}

fn plot(error: &PlotError) -> bool {
    match error {
        PlotError::Column { source, .. } => column(source),
        PlotError::EmptyTime { .. }
        | PlotError::RightUnits(_)
        | PlotError::Size { .. }
        | PlotError::Panels { .. }
        | PlotError::Pixels(_) => true,
        PlotError::Empty | PlotError::NoColumns => false,
    }
}

fn column(error: &RecordError) -> bool {
    matches!(error, RecordError::UnknownColumn { .. })
}
