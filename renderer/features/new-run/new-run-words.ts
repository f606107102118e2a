import { plural } from '../../components/format.ts'

/** The texts of the sheet New run. */
export const NEW_RUN_WORDS = {
  page: {
    newRun: 'New run',
    theExperiment: 'The experiment',
  },

  effectsDialog: {
    notJudged: 'not judged',
    remove: (cells: number) => `Move ${plural(cells, 'finished answer')} to the trash?`,
    removeFiles: 'Move files to the trash?',
    replacePublishedResults: 'Replace published results?',
    removeAndRun: 'Move and run',
    replaceAndRun: 'Replace and run',
    keepFiles: 'Keep files',
    keepResults: 'Keep results',
    coldStartOf: 'The cold start of run ',
    coldStartEffect:
      ' moves exactly these files to the trash, where they stay for 30 days. Collections serve every run of their dataset and are built again, which costs time and model calls. Without the cold start, finished answers are kept and only missing ones are made.',
    removedFiles: 'Files that go to the trash',
    fileOrFolder: 'File or folder',
    finishedCells: 'Finished answers',
    size: 'Size',
    externalKept: 'Collections of the external platform are kept.',
    publishEffect: 'When the run is complete, it replaces published results in docs/results:',
    summaryUnreadable: 'its summary cannot be read',
    replacedBy: (runId: string, readable: string, runId2: string, next: string) =>
      `: run ${runId} (${readable}) is replaced by run ${runId2} (${next}).`,
    lost: (lost: string) => ` Lost: ${lost}.`,
  },

  sheet: {
    close: 'Close',
    steps: 'Steps',
    step: (number: number, of: number) => `Step ${number} of ${of}`,
    names: { 1: 'Data', 2: 'Approaches', 3: 'Models' },
    asks: { 1: 'Which questions?', 2: 'Which approaches?', 3: 'Which models?' },
    datasets: (labels: readonly string[]) =>
      labels.length === 0 ? 'none chosen' : labels.length < 3 ? labels.join(', ') : plural(labels.length, 'dataset'),
    approaches: (count: number) => (count === 0 ? 'none chosen' : `${count} chosen`),
    more: {
      1: 'Details: metrics and repetitions',
      2: 'Details: text and trace',
      3: 'Details: judges, limits and name',
    },
    next: (step: string) => `Next: ${step}`,
    keys: (modifier: string) => `Enter: next · ${modifier}+Enter: run`,
    runKey: (modifier: string) => `${modifier}+Enter: run`,
  },

  dataStep: {
    none: 'None',
    allLevels: 'All levels',
    facts: (level: number | null, questions: number, unanswerable: number) => [
      level === null ? 'your own' : level === 0 ? 'to try out' : `level ${level}`,
      plural(questions, 'question'),
      ...(unanswerable === 0 ? [] : [`${unanswerable} unanswerable`]),
    ],
    noGold: 'Cannot be tested: no question has gold evidence or a ground truth.',
    tooFew: 'Too few questions to test: a test needs 8 independent groups.',
    scored: (scored: number, questions: number) =>
      scored === questions ? 'All questions can be scored.' : `${scored} of ${questions} questions can be scored.`,
  },

  approachesStep: {
    tune: 'Tune an approach…',
    none: 'None',
    defaults: 'Usual ones',
    allApproaches: 'All approaches',
    withFlavors: 'With flavors',
  },

  modelsStep: {
    modelSet: 'Model set',
    default: 'default',
    own: 'your own',
    rulesOnly: 'Built-in rules: nothing to connect, no cost. A baseline without a language model.',
    notTested: 'not tested',
    test: 'Test',
    theTest: 'The test',
    roles: 'Details: which model does what',
    rolesOf: (set: string) => `Models of ${set}`,
  },

  aliasChoice: {
    asItsBase: 'same settings as its approach',
    on: 'on',
    off: 'off',
    labels: { query_profile: 'graph query', profile: 'graph query' } as Readonly<Record<string, string>>,
    answerOnly: 'answer only: faithfulness cannot be measured',
    ingestsAgain: 'ingests again',
    own: 'your own',
    experimental: 'Experimental: they need a language model',
    baselines: 'Baselines',
    flavors: (approach: string, count: number) => `${plural(count, 'flavor')} of ${approach}`,
    newFlavor: 'New flavor…',
    newFlavorOf: (approach: string) => `New flavor of ${approach}`,
    change: 'Change',
    remove: 'Remove',
  },

  flavors: {
    newTitle: (approach: string) => `New flavor of ${approach}`,
    newAbout: (alias: string) =>
      `It starts with the parameters of ${alias} and runs beside it, under a name of its own.`,
    changeTitle: (alias: string) => `Change ${alias}`,
    changeAbout:
      'Finished answers keep the parameters that they were made with: a run that has some of this flavor needs a new name to go on.',
    instead: (before: string) => `Was ${before}.`,
    nothing: 'empty',
    name: 'Name',
    nameAbout: 'As tables and charts show it: letters, digits, "_", "-" and "."',
    save: 'Save flavor',
    saved: (name: string) => `Saved ${name}`,
    removed: (name: string) => `Removed ${name}. Finished answers stay.`,
    restore: 'Undo',
    removing: 'Removing the flavor',
    restoring: 'Bringing the flavor back',
  },

  options: {
    always: (metrics: readonly string[]) =>
      `Always measured, where the data allow it: ${metrics.join(', ')}. Graded by a model:`,
    needsContexts: 'needs contexts',
    needsGroundTruth: 'needs ground truth',
    unlessChosen: (setUp: string) => `Unless chosen: ${setUp}`,
    noJudges: 'Choose at least two judges',
    judge: 'Blinded judge panel',
    judgeAbout: 'answers are anonymous and shuffled for each judge',
    judges: 'Judges',
    onlyWithPanel: 'Only with the judge panel',
    asSetUp: 'as set up',
    name: 'Run name',
    nameAbout: 'An existing name resumes that run',
    nameExample: 'automatic (dataset, models, time)',
    repeats: 'Answers per question',
    repeatsAbout: 'Above 1 measures how much answers vary',
    concurrency: 'Answers at once',
    concurrencyAbout: 'More is faster but inflates latencies',
    contextBudget: 'Context budget (tokens)',
    contextBudgetAbout: 'Text that every approach hands to the model that answers',
    excludeCut: 'Exclude cut answers',
    excludeCutAbout: 'Answers that a limit of tokens cut get no score; choose it before the first answer',
    trace: 'Trace',
    traceAbout: 'What each answer keeps of its calls to models, stores and tools',
    traces: { full: 'steps and texts', tree: 'steps only', off: 'nothing' },
    asDeclared: 'No context budget',
    asDeclaredAbout: 'Approaches hand over as much text as they are declared to; means compare only among like amounts',
    primary: 'Primary metric',
    primaryAbout: 'Decides about the run; choose it before the first answer',
    notValidated: (metric: string) => `${metric}: decides nothing until its judges are validated`,
    firstOfRun: 'the first that the run has',
    budget: 'Budget',
    budgetAbout: 'Most that answers and grading may cost, at your prices',
    budgetExample: 'none',
    cold: 'Cold start',
    coldAbout: "Moves this run's working files and collections to the trash first",
    publish: 'Publish',
    publishAbout: 'Copies validated artifacts to docs/results',
  },

  planPanel: {
    startingTheRun: 'Starting the run',
    plan: 'Plan',
    show: 'Show plan',
    hide: 'Hide plan',
    thePlan: 'The plan',
    moveTornBytes: 'Move torn bytes',
    useNewName: 'Use new name',
    runAnswers: (answers: number) => `Run ${plural(answers, 'answer')}`,
    run: 'Run',
  },

  planView: {
    answers: 'Answers',
    reused: 'Reused',
    calls: 'Model calls',
    time: 'Time',
    free: 'none',
    unknown: 'unknown',
    cost: 'Cost',
    unpriced: (models: string) =>
      `○ the cost is not known: ${models} comes from a service that the model set does not mark as paid`,
    unknownCost: (reason: string) => `○ the cost is not known in full: ${reason}`,
    parts: 'Plan by kind of work',
    work: 'Work',
    partCalls: 'Calls',
    without: (parts: string) => `without ${parts}`,
    byDataset: 'Plan by dataset',
    dataset: 'Dataset',
    run: 'Run',
    reuse: 'Reuse',
    scores: 'Scores',
    panelVerdicts: (verdicts: string) => `${verdicts} verdicts of the panel`,
    onlyScores: (answered: string) => `${answered} answers are kept and only need scores`,
    was: ' was ',
    is: ', is ',
    changed: (files: string) => `; changed: ${files}`,
    uncallable: (model: string, dataset: string, reason: string) =>
      `${model} cannot be called for ${dataset}: ${reason}`,
    coldWarning: (plan: number) => `▲ Cold start moves ${plural(plan, 'finished answer')} of this run to the trash.`,
    publishWarning: (datasetId: string, runId: string) =>
      `▲ Publishing replaces the results of ${datasetId} from run ${runId}.`,
  },

  calibration: {
    measure: 'Measure with 3 calls',
    what: 'Asks each model that answers or grades three times with about 2,000 tokens, for an estimate of time, calls and cost. A paid model charges for them.',
    measuring: 'measuring the models',
    measured: (model: string, each: string, tokens: [read: string, written: string] | null) =>
      `${model}: three calls took ${each} each, ${tokens === null ? 'its tokens are not reported' : `${tokens[0]} tokens read, ${tokens[1]} written`}`,
  },

  retryQuestion: {
    retryQuestion: (failed: number, failed2: string) =>
      `${plural(failed, 'answer')} of this run failed. Try ${failed2} again?`,
    yes: 'Yes',
    all: (failed: number) => `All ${failed}`,
    retryAccess: (access: number) =>
      `Only ${access} without access or connection (HTTP 401, 402, 403, 404, used-up credit)`,
    keepOne: 'No, keep it as failed',
    keepAll: 'None, keep them as failed',
  },
} as const
