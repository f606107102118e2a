import { plural } from '../../components/format.ts'

/** The texts of the page Launch. */
export const LAUNCH_WORDS = {
  page: {
    launch: 'Launch',
    theExperiment: 'The experiment',
  },

  effectsDialog: {
    notJudged: 'not judged',
    delete: (cells: number) => `Delete ${plural(cells, 'finished cell')}?`,
    deleteFiles: 'Delete files of this run?',
    replacePublishedResults: 'Replace published results?',
    deleteAndRun: 'Delete and run',
    replaceAndRun: 'Replace and run',
    keepFiles: 'Keep files',
    keepResults: 'Keep results',
    coldStartOf: 'The cold start of run ',
    coldStartEffect:
      ' deletes exactly these files. This cannot be undone. Without the cold start, finished cells are kept and only missing ones are made.',
    deletedFiles: 'Files that are deleted',
    fileOrFolder: 'File or folder',
    finishedCells: 'Finished cells',
    size: 'Size',
    externalKept: 'Collections of the external platform are kept.',
    publishEffect: 'When the run is complete, it replaces published results in docs/results:',
    summaryUnreadable: 'its summary cannot be read',
    replacedBy: (runId: string, readable: string, runId2: string, next: string) =>
      `: run ${runId} (${readable}) is replaced by run ${runId2} (${next}).`,
    lost: (lost: string) => ` Lost: ${lost}.`,
  },

  launchForm: {
    none: 'None',
    canonical: 'Canonical',
    allBases: 'All bases',
    all: 'All',
    rungs: 'Rungs',
    approachesAndFlavors: 'Approaches and flavors',
    chosen: (models: number) => `${models} chosen`,
    metricsAndRun: 'Metrics and run',
    asItsBase: 'as its base',
    answerOnly: 'answer only: faithfulness cannot be measured',
    ingestsAgain: 'ingests again',
    rung: (label: string, level: number, questions: number) =>
      `${label} · rung ${level} · ${plural(questions, 'question')}`,
  },

  launchOptions: {
    needsContexts: 'needs contexts',
    needsGroundTruth: 'needs ground truth',
    unlessChosen: (setUp: string) => `Unless chosen: ${setUp}`,
    noJudges: 'None is set up: choose two or more',
    blindedJudgePanel: 'Blinded judge panel',
    judgesAbout: 'answers without names, in an order of each judge’s own',
    judges: 'Judges',
    onlyWithPanel: 'Only with the judge panel',
    asSetUp: 'as set up',
    runName: 'Run name',
    runNameAbout: 'An existing name resumes that run',
    fromTime: 'from the time of day',
    answersPerQuestion: 'Answers per question',
    repeatsAbout: 'More than 1 shows how far answers vary',
    concurrency: 'Cells at a time',
    concurrencyAbout: 'More is faster and shifts latencies',
    primaryMetric: 'Primary metric',
    primaryAbout: 'Decides about the run; choose it before the first cell',
    firstOfRun: 'the first that the run has',
    modelSet: 'Model set',
    defaultSet: 'default',
    embeddedOnly: 'Of the embedded platform',
    coldStart: 'Cold start',
    coldAbout: "Deletes this run's working files and collections first",
    publish: 'Publish',
    publishAbout: 'Copies validated artifacts to docs/results',
  },

  planPanel: {
    startingTheRun: 'Starting the run',
    plan: 'Plan',
    thePlan: 'The plan',
    moveTornBytes: 'Move torn bytes',
    useNewName: 'Use new name',
    runCells: (cells: number) => `Run ${plural(cells, 'cell')}`,
    run: 'Run',
  },

  planView: {
    cells: 'Cells',
    reused: 'Reused',
    toRun: 'To run',
    calls: 'Calls',
    about: 'About',
    dataset: 'Dataset',
    run: 'Run',
    reuse: 'Reuse',
    scorings: 'Scorings',
    panelVerdicts: (verdicts: string) => `${verdicts} verdicts of the panel`,
    onlyScores: (answered: string) => `${answered} answers are kept and only need scores`,
    otherConditions: (conflicts: string) =>
      `▲ ${conflicts} stored rows were made under other conditions. Choose another run name.`,
    was: ' was ',
    is: ', is ',
    changed: (files: string) => `; changed: ${files}`,
    uncallable: (model: string, dataset: string, reason: string) =>
      `${model} cannot be called for ${dataset}: ${reason}`,
    noEstimate: (unknown: string) => `○ no earlier latency of ${unknown}: how long it takes is not known`,
    coldWarning: (plan: number) => `▲ Cold start deletes ${plural(plan, 'finished cell')} of this run.`,
    publishWarning: (datasetId: string, runId: string) =>
      `▲ Publishing replaces the results of ${datasetId} from run ${runId}.`,
  },

  retryQuestion: {
    retryQuestion: (failed: number, failed2: string) =>
      `${plural(failed, 'cell')} of this run failed. Try ${failed2} again?`,
    yes: 'Yes',
    all: (failed: number) => `All ${failed}`,
    retryAccess: (access: number) => `Only ${access} without access or connection (HTTP 401, 403, 404)`,
    keepOne: 'No, keep it as failed',
    keepAll: 'None, keep them as failed',
  },
} as const
