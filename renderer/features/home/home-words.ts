import { plural } from '../../components/format.ts'

/** The texts of the page Home. */
export const HOME_WORDS = {
  page: {
    newRun: 'New run',
    home: 'Home',
    runList: 'The list of runs',
    lastResults: 'Last results',
    samples: 'Sample results',
    samplesAbout:
      'These runs were published with the project, to show what a finished run looks like. They were not measured on your documents or with your models.',
    ownRuns: (own: number, samples: number) =>
      samples === 0 ? plural(own, 'run') : `${plural(own, 'run')} · ${plural(samples, 'sample')}`,
    noResultYet: 'No result yet',
    noResultText: 'A run appears here with its first answer.',
  },

  foundOffer: {
    service: (label: string, models: number) => `${label} with ${plural(models, 'model')}`,
    files: (files: number) => plural(files, 'model file'),
    found: (all: readonly string[]) =>
      `Found on this machine: ${all.join(', ')}. Runs use built-in rules until you choose models.`,
    choose: 'Choose models',
  },

  firstRun: {
    runSmoke: 'Run the example',
    purpose:
      'RAG Ladder asks the same questions of seven retrieval approaches and shows which one fits your documents.',
    readingTheExperiment: 'Reading the experiment…',
    local: ' Nothing leaves this machine.',
    smokeSummary: (questions: number, approaches: number, stays: string) =>
      `The example takes about 20 seconds: ${plural(questions, 'question')} about a few short documents × ${plural(approaches, 'approach', 'approaches')}.${stays}`,
    actions: 'What to do first',
    smoke: 'See a first result',
    sample: 'See a decided sample',
    readSample: 'Read the verdict',
    ownData: 'Try your own documents',
    ownDataAbout:
      'Drop files or a folder, then type questions or import them. Passages that you mark as facts decide which approach finds them.',
    model: 'Answer with a language model',
    modelAbout: 'Ollama, llama.cpp, vLLM, a service with a key, or a model file. Until then built-in rules answer.',
    connectModel: 'Connect a model',
  },

  lastRuns: {
    run: 'Run',
    state: 'State',
    datasets: 'Datasets',
    verdict: 'Verdict',
    answers: 'Answers',
    failed: 'Failed',
    finished: 'Finished',
  },

  newestVerdict: {
    open: 'Open result',
    of: (dataset: string, questions: number | null, others: number) =>
      [
        dataset,
        ...(questions === null ? [] : [plural(questions, 'scored question')]),
        ...(others === 0 ? [] : [plural(others, 'other dataset')]),
      ].join(' · '),
  },
} as const
