import { eventIterator, oc } from '@orpc/contract'
import { z } from 'zod'
import { Identifier, Sha256 } from '../common.ts'
import { CellDetail, Coverage, OtherCell } from './cells.ts'
import {
  Frontier,
  FrontierInput,
  RunResult,
  PairedStatistics,
  PairsInput,
  ProvenanceDiff,
  ProvenanceDiffInput,
  RunChanges,
  RunChangesInput,
} from './comparison.ts'
import { PricesFile } from '../manifests/prices.ts'
import { ControlError } from './control-error.ts'
import {
  AddDocumentInput,
  AddedDocument,
  CorpusDocumentInput,
  CorpusDocuments,
  CorpusDocumentsInput,
  CorpusDocumentText,
  DatasetGraph,
  DatasetGraphInput,
  DatasetQuestions,
  DatasetQuestionsInput,
  SpeechPrompt,
  SpeechPromptInput,
} from './corpora.ts'
import { DocumentChunks, DocumentChunksInput } from './document-chunks.ts'
import { EventsInput, SequencedEvent } from './events.ts'
import {
  FilePiece,
  ImportFolderInput,
  ImportFormat,
  ImportStep,
  PreviewZipInput,
  UploadZipInput,
  ZipPreview,
} from './dataset-transfer.ts'
import { AliasView, DatasetView, ExperimentView, SaveFlavorInput } from './experiment.ts'
import {
  AddConnectionInput,
  CalibratedModel,
  CatalogueEntry,
  FetchProgress,
  FoundModels,
  ModelsView,
  ModelTest,
  PricesView,
  RemoveModelsInput,
  SaveSetInput,
  SetKeyInput,
  TestModelInput,
} from './models.ts'
import {
  BlindSets,
  BeginRoundInput,
  BlindSetsInput,
  JudgeResults,
  JudgeResultsInput,
  Revealed,
  JudgingInput,
  RevealInput,
  RoundState,
  VoteInput,
  VoteKept,
} from './judging.ts'
import {
  JudgeRunInput,
  RunRecovered,
  FailureCounts,
  PlanOutcome,
  RescoreRunInput,
  RetryFailuresInput,
  RunJob,
  RunRequest,
  RunStarted,
  RunState,
  RunView,
} from './run-job.ts'
import {
  AddFileInput,
  CreateDatasetInput,
  DatasetCheck,
  FoundPassages,
  DocumentInput,
  ImportQuestionsInput,
  OwnDataset,
  OwnInput,
  OwnQuestions,
  OwnQuestionsInput,
  QuestionSaved,
  ReadQuestionsInput,
  ReadQuestionsResult,
  RemoveQuestionInput,
  SaveQuestionInput,
  TrashEntry,
  UpdateDatasetInput,
} from './own-datasets.ts'
import {
  AcceptDraftsInput,
  DraftInput,
  DraftList,
  DraftPlan,
  DraftPlanInput,
  DraftPower,
  DraftPowerInput,
  DraftStep,
  RejectDraftsInput,
} from './drafted-questions.ts'
import { RayJobLogView, RunWorkers } from './run-workers.ts'
import { AnswerSliceInput, AnswerStarts, AnswerStartsInput, CellInput } from './run-index/cell.ts'
import { CompareRunsInput, RunComparison } from './run-index/compare-runs.ts'
import { ColumnHeads, ColumnHeadsInput, MatrixPage, MatrixPageInput } from './run-index/matrix-page.ts'
import { ListRunsInput, RunHead, RunList, RunSummary } from './run-index/runs.ts'
import { RunTrend, TrendInput } from './run-index/trend.ts'
import { SearchInput, SearchResults } from './run-index/search.ts'
import { IndexStatus, IndexVerification } from './run-index/upkeep.ts'
import {
  PlatformWork,
  PlatformWorkInput,
  ServiceInput,
  ServiceLogLine,
  ServiceLogsInput,
  ServiceStartInput,
  ServiceView,
} from './services.ts'
import {
  AllowOwnApproachInput,
  OwnApproachView,
  OwnTrial,
  SaveOwnApproachInput,
  TestOwnApproachInput,
} from './own-approaches.ts'
import { AllowedConnection, ConnectionView, PanelState, SettingsUpdate, SettingsView } from './settings.ts'
import {
  AnnotateCellInput,
  AnnotateRunInput,
  CellNote,
  CellNotes,
  ExportChunk,
  ExportInput,
  ImportedRun,
  RemovedRun,
  RunNote,
  RunOverview,
  RunOverviewInput,
} from './stored-runs.ts'
import { BrowserLink, SystemStatus } from './system.ts'
import { NamedTuning, SaveWinnerInput, TuneInput, TunePlan, TuningDetail, TuningHead, TuningInput } from './tuning.ts'
import { Name, runDataset } from './run-index/parts.ts'

/** Every procedure fails in one way only: CONTROL, with a control error as its data. */
const base = oc.errors({ CONTROL: { status: 422, message: 'the engine refused', data: ControlError } })

const runInput = z.strictObject({ run_id: Identifier })
const rayJob = z.strictObject({ run_id: Identifier, submission_id: z.string().min(1).max(300) })
const datasetRun = z.strictObject(runDataset)

/** Calls and answers of the control API: each a `POST /control/<path>` with JSON, iterators as server-sent events. */
export const controlContract = {
  system: {
    status: base.output(SystemStatus),
    /** Everything that happens, in order. Ends only with the engine. */
    events: base.input(EventsInput).output(eventIterator(SequencedEvent)),
    /** Only for holders of the launch token. */
    browserLink: base.output(BrowserLink),
    /** Ends the sessions of all browsers, the caller's included; a new link opens a new one. */
    endSessions: base.output(z.void()),
  },
  experiment: {
    get: base.output(ExperimentView),
    /** Calls nothing and writes nothing. */
    plan: base.input(RunRequest).output(PlanOutcome),
  },
  /** A person's own flavors, in their own file. Both calls are refused while a run is under way or queued; they answer with all aliases. */
  flavors: {
    /** Adds one, or replaces the person's own of that name. */
    save: base.input(SaveFlavorInput).output(z.array(AliasView)),
    /** Cells that were made with it stay. Refused for what belongs to the project. */
    remove: base.input(z.strictObject({ name: Identifier })).output(z.array(AliasView)),
  },
  /** Files `approaches/*.yaml` of the project. `save`, `allow` and `remove` are refused while a run is under way or queued; they answer with all files. */
  approaches: {
    /** Reads the files; runs and calls nothing. */
    list: base.output(z.array(OwnApproachView)),
    /** Writes a new file and allows it, as this person wrote it. Refused for a name that is taken. */
    save: base.input(SaveOwnApproachInput).output(z.array(OwnApproachView)),
    /** Asks one question, of a draft or of a file that is allowed; a failure of the approach is part of the answer. */
    test: base.input(TestOwnApproachInput).output(OwnTrial),
    /** Allows a file by its content. Refused where the content is no longer the one that was shown. */
    allow: base.input(AllowOwnApproachInput).output(z.array(OwnApproachView)),
    /** Removes the file; its program and finished answers stay. */
    remove: base.input(z.strictObject({ name: Identifier })).output(z.array(OwnApproachView)),
  },
  /** Settings of an approach, searched on one part of the questions of a dataset and confirmed on the other. */
  tunings: {
    /** Calls nothing and writes nothing. */
    plan: base.input(TuneInput).output(TunePlan),
    /** Starts it, or goes on where its trials are done in part. Refused while a run or another tuning is under way. */
    start: base.input(TuneInput).output(NamedTuning),
    /** Goes on with a tuning that was started here. */
    resume: base.input(NamedTuning).output(NamedTuning),
    /** Ends it after the question under way; finished trials stay. */
    stop: base.input(NamedTuning).output(z.void()),
    /** Those of the results folder, newest first. */
    list: base.output(z.array(TuningHead)),
    get: base.input(TuningInput).output(TuningDetail),
    /** Keeps the winner as a flavor of this person; answers with what was saved and what a flavor cannot hold. */
    saveFlavor: base.input(SaveWinnerInput).output(z.array(z.string())),
  },
  runs: {
    /** Queues the run; one is under way at a time. */
    start: base.input(RunRequest).output(RunStarted),
    pause: base.input(runInput).output(RunJob),
    resume: base.input(runInput).output(RunJob),
    cancel: base.input(runInput).output(RunJob),
    /** Failed cells by class: what `retryFailures` could take. */
    failures: base.input(z.strictObject({ run_id: Identifier })).output(FailureCounts),
    /** A new run that takes over the good rows and makes the failed cells again; rows of a run are never changed. */
    retryFailures: base.input(RetryFailuresInput).output(RunStarted),
    /** Scores the stored answers of a run by another evaluator, in a new run; calls no approach. */
    rescore: base.input(RescoreRunInput).output(RunStarted),
    /** Newest first; `state` and `planned_cells` are null for runs that this engine does not control. */
    list: base.input(ListRunsInput).output(
      z.strictObject({
        ...RunList.shape,
        runs: z.array(
          z.strictObject({
            ...RunHead.shape,
            state: RunState.nullable(),
            /** Cells of all its datasets, made or not. */
            planned_cells: z.int().min(0).nullable(),
          }),
        ),
      }),
    ),
    /** The list with what a person manages: also runs that failed before their first row. */
    overview: base.input(RunOverviewInput).output(RunOverview),
    /** Changes what a person wrote about a run; absent fields stay. */
    annotate: base.input(AnnotateRunInput).output(RunNote),
    /** Moves the run's working files and its journal to the trash. Refused while it is under way, and for published results. */
    remove: base.input(runInput).output(RemovedRun),
    /** Opens a bundle from an absolute path of the engine's machine. Refused where the run is there already, and for a file that was changed. */
    importBundle: base.input(z.strictObject({ source: z.string().min(1).max(4096) })).output(ImportedRun),
    /** Removed runs, the last one first. */
    trash: base.output(z.array(RemovedRun)),
    /** Moves a removed run back. Refused where a file of the same name is there again. */
    restore: base.input(z.strictObject({ trash_id: z.string().min(1).max(600) })).output(RemovedRun),
    summary: base.input(z.strictObject({ run_id: Name })).output(RunSummary),
    /** Moves the unfinished last bytes of the run's evidence files aside. Refused while the run is under way, and when nothing is torn. */
    recover: base.input(runInput).output(RunRecovered),
    /** Every run that the engine has a journal of, newest first, at most 200; also those without a row yet. */
    jobs: base.output(z.array(RunJob)),
    /** Steps and counts of a run as last known; they survive the engine. */
    view: base.input(runInput).output(RunView),
    /** Runs whose engine died: offered for resume. */
    interrupted: base.output(z.array(RunJob)),
    /** Takes an interrupted run off the offer; its cells stay. */
    dismiss: base.input(runInput).output(RunJob),
  },
  /** Processes that make cells of a run whose rows are in a database, on any number of machines. */
  workers: {
    get: base.input(runInput).output(RunWorkers),
    /** Returns what workers on a Ray cluster have printed. Refused for a job of another run. */
    jobLog: base.input(rayJob).output(RayJobLogView),
    /** Stops such workers; their cells are left to others. Refused for a job of another run. */
    cancelJob: base.input(rayJob).output(RunWorkers),
  },
  matrix: {
    page: base.input(MatrixPageInput).output(MatrixPage),
    heads: base.input(ColumnHeadsInput).output(ColumnHeads),
    search: base.input(SearchInput).output(SearchResults),
  },
  cells: {
    get: base.input(CellInput).output(CellDetail),
    /** A piece of a text that `cells.get` had to cut. */
    answerSlice: base
      .input(AnswerSliceInput)
      .output(z.strictObject({ text: z.string(), total: z.int().min(0), next_offset: z.int().min(0).nullable() })),
    /** The beginnings of answers, for a grid of them. */
    answerStarts: base.input(AnswerStartsInput).output(AnswerStarts),
    /** A text of the cell's trace, at most 64 Ki characters; null where it is not stored on this machine. */
    traceText: base
      .input(z.strictObject({ ...CellInput.shape, sha256: Sha256 }))
      .output(z.strictObject({ text: z.string().nullable() })),
    notes: base.input(z.strictObject({ run_id: Name })).output(CellNotes),
    /** Replaces the note and the flag of a cell; an empty note without a flag removes both. */
    annotate: base.input(AnnotateCellInput).output(CellNote),
    /** The same question in all aliases of the run, the asked one included. */
    others: base
      .input(CellInput)
      .output(z.strictObject({ dataset_id: Name, question_id: Name, cells: z.array(OtherCell) })),
  },
  coverage: { get: base.input(datasetRun).output(Coverage) },
  compare: {
    runs: base.input(CompareRunsInput).output(RunComparison),
    provenance: base.input(ProvenanceDiffInput).output(ProvenanceDiff),
    frontier: base.input(FrontierInput).output(Frontier),
    result: base.input(z.strictObject({ run_id: Name })).output(RunResult),
    /** The runs of a dataset through time, with why some do not compare. */
    trend: base.input(TrendInput).output(RunTrend),
  },
  statistics: {
    /** All pairs of approaches of one dataset run. */
    pairs: base.input(PairsInput).output(PairedStatistics),
    /** All aliases of a run against other runs, corrected over all of them. */
    runs: base.input(RunChangesInput).output(RunChanges),
  },
  datasets: {
    list: base.output(z.array(DatasetView)),
    documents: base.input(CorpusDocumentsInput).output(CorpusDocuments),
    document: base.input(CorpusDocumentInput).output(CorpusDocumentText),
    /** Returns where the ingestion profile cuts a document. */
    chunks: base.input(DocumentChunksInput).output(DocumentChunks),
    /** A dataset of a person's own, empty or a copy. Refused for a name that is taken. */
    create: base.input(CreateDatasetInput).output(DatasetView),
    importFormats: base.output(z.array(ImportFormat)),
    /** Imports a public dataset, or an exported zip file, from a path of the engine's machine. */
    importFolder: base.input(ImportFolderInput).output(eventIterator(ImportStep)),
    /** Returns what a zip file of an exported dataset holds; stores nothing. Refused for paths that leave the dataset's folder. */
    previewZip: base.input(PreviewZipInput).output(ZipPreview),
    /** Imports such a file from the browser's machine. */
    uploadZip: base.input(UploadZipInput).output(DatasetView),
    /** A document's file as it is, such as for a conversion; refused above 32 MiB. */
    documentFile: base.input(DocumentInput).output(eventIterator(FilePiece)),
    exportZip: base.input(OwnInput).output(eventIterator(FilePiece)),
    /** The file of such a dataset; the calls below change one. They are refused for datasets of the project and while a run is under way or queued. */
    own: base.input(OwnInput).output(OwnDataset),
    ownQuestions: base.input(OwnQuestionsInput).output(OwnQuestions),
    update: base.input(UpdateDatasetInput).output(OwnDataset),
    /** Moves the dataset to the trash. */
    remove: base.input(OwnInput).output(z.strictObject({ trash_id: z.string() })),
    /** Removed datasets, the last one first. */
    trash: base.output(z.array(TrashEntry)),
    restore: base.input(z.strictObject({ trash_id: z.string() })).output(DatasetView),
    addFile: base.input(AddFileInput).output(AddedDocument),
    /** Moves the document to the dataset's own trash. */
    removeDocument: base.input(DocumentInput).output(z.void()),
    restoreDocument: base.input(DocumentInput).output(z.void()),
    /** Refused for gold facts that are not in their documents. */
    saveQuestion: base.input(SaveQuestionInput).output(QuestionSaved),
    removeQuestion: base.input(RemoveQuestionInput).output(OwnDataset),
    readQuestions: base.input(ReadQuestionsInput).output(ReadQuestionsResult),
    /** Looks up the expected answers of the previewed lines in the documents; converts those that have no text of their own. */
    findPassages: base.input(ReadQuestionsInput).output(FoundPassages),
    /** Lines with a problem are left out. */
    importQuestions: base.input(ImportQuestionsInput).output(OwnDataset),
    /** Returns what drafting questions would call and cost; calls nothing. */
    draftPlan: base.input(DraftPlanInput).output(DraftPlan),
    /** Drafts questions and keeps them beside the dataset. Refused without `confirmed_calls` of the plan where passages leave this machine. */
    draft: base.input(DraftInput).output(eventIterator(DraftStep)),
    drafts: base.input(OwnInput).output(DraftList),
    /** Returns which difference the questions decide when these drafts are accepted; changes nothing. */
    draftPower: base.input(DraftPowerInput).output(DraftPower),
    /** Drafts become questions, all of them or none. */
    acceptDrafts: base.input(AcceptDraftsInput).output(OwnDataset),
    rejectDrafts: base.input(RejectDraftsInput).output(DraftList),
    check: base.input(OwnInput).output(DatasetCheck),
    /** Refused for a name that is taken, and while a run is under way or queued. */
    addDocument: base.input(AddDocumentInput).output(AddedDocument),
    questions: base.input(DatasetQuestionsInput).output(DatasetQuestions),
    speechPrompt: base.input(SpeechPromptInput).output(SpeechPrompt),
    graph: base.input(DatasetGraphInput).output(DatasetGraph),
  },
  judges: {
    state: base.input(JudgingInput).output(RoundState),
    /** Seals the order of the answers and opens the round. Refused where there is one already, and after a reveal. */
    begin: base.input(BeginRoundInput).output(RoundState),
    /** Only of a round that was begun. */
    blindSets: base.input(BlindSetsInput).output(BlindSets),
    vote: base.input(VoteInput).output(VoteKept),
    /** Cannot be undone: ends the vote and is logged. */
    reveal: base.input(RevealInput).output(Revealed),
    results: base.input(JudgeResultsInput).output(JudgeResults),
    /** Queues the judging of a finished run; its progress is that of a run of the same name. */
    judgeRun: base.input(JudgeRunInput).output(RunStarted),
  },
  /** Connections to model services and sets of models. What the calls below change is in the person's own file, never the project's. */
  models: {
    list: base.output(ModelsView),
    /** Asks the usual ports of this machine and looks into the usual folders. */
    found: base.output(FoundModels),
    /** One chat, one answer in JSON and one embedding; what the service answers is a result, not a failure of the call. */
    test: base.input(TestModelInput).output(ModelTest),
    /** Asks each model of a set that answers or grades three times, and keeps for this machine what that took; null is the default set. Empty for a set of rules. */
    calibrate: base.input(z.strictObject({ set: Identifier.nullable() })).output(z.array(CalibratedModel)),
    /** Open models by job, with whether they fit this machine. */
    catalogue: base.output(z.array(CatalogueEntry)),
    /** Downloads a model of the catalogue, or continues; ends when it is there. A caller that leaves stops it. */
    fetch: base.input(z.strictObject({ id: Identifier })).output(eventIterator(FetchProgress)),
    /** Deletes the files of a model of the catalogue. Refused while a set names one, and while a run is under way or queued. */
    removeFetched: base.input(z.strictObject({ id: Identifier })).output(z.array(CatalogueEntry)),
    /** Replaces the person's connection of the same name. This, `saveSet`, `remove` and `use` are refused while a run is under way or queued. */
    add: base.input(AddConnectionInput).output(ModelsView),
    /** Stores the key of a connection on this computer, or deletes it; no answer ever has it. Refused while a run is under way or queued. */
    setKey: base.input(SetKeyInput).output(ModelsView),
    saveSet: base.input(SaveSetInput).output(ModelsView),
    /** Refused for what belongs to the project, and for a connection that a set needs. */
    remove: base.input(RemoveModelsInput).output(ModelsView),
    /** Returns what paid models cost, for costs and budgets. */
    prices: base.output(PricesView),
    /** Replaces all prices of this person. */
    savePrices: base.input(PricesFile).output(PricesView),
    /** Makes a set the default of this person. */
    use: base.input(z.strictObject({ name: Identifier })).output(ModelsView),
  },
  services: {
    list: base.output(z.array(ServiceView)),
    logs: base.input(ServiceLogsInput).output(eventIterator(ServiceLogLine)),
    start: base.input(ServiceStartInput).output(ServiceView),
    stop: base.input(ServiceInput).output(ServiceView),
    restart: base.input(ServiceInput).output(ServiceView),
    /** Returns what the platform that runs does in the background: open work first, then the newest. */
    work: base.output(z.array(PlatformWork)),
    /** Asks for cancellation, which the list shows when it is confirmed. */
    cancelWork: base.input(PlatformWorkInput).output(z.array(PlatformWork)),
  },
  index: {
    status: base.output(IndexStatus),
    verify: base.output(IndexVerification),
    /** Rebuilds the mirror from the artifacts; `index.state` events report its progress. */
    rebuild: base.output(IndexStatus),
  },
  exports: {
    /** One line per approach and metric. */
    csv: base.input(ExportInput).output(eventIterator(ExportChunk)),
    /** The aggregates. */
    json: base.input(ExportInput).output(eventIterator(ExportChunk)),
    /** CSV, one line per cell: question, scores, answer. */
    cells: base.input(ExportInput).output(eventIterator(ExportChunk)),
    /** JSONL, the rows of the evidence that count, with answers and contexts. */
    rows: base.input(ExportInput).output(eventIterator(ExportChunk)),
    /** The run with evidence, artifacts and manifests as one zip file, which another installation opens. */
    bundle: base.input(runInput).output(eventIterator(FilePiece)),
    /** One HTML page that needs nothing else. */
    report: base.input(ExportInput).output(eventIterator(ExportChunk)),
  },
  settings: {
    get: base.output(SettingsView),
    update: base.input(SettingsUpdate).output(SettingsView),
    /** Services outside of this program, one of each. */
    connections: base.output(z.array(ConnectionView)),
    /** Keeps that this person trusts the address with credentials. */
    allowConnection: base.input(AllowedConnection).output(z.array(ConnectionView)),
    /** Returns what the panel remembers of a person in this project. */
    panel: base.output(PanelState),
    savePanel: base.input(PanelState).output(PanelState),
  },
}
export type ControlContract = typeof controlContract

/** States where the control API is mounted, below the engine's address and below the desktop app's own scheme. */
export const CONTROL_PREFIX = '/control'
