// Page specs that the fast tier of `npm test` runs in the browser: the jobs that a person comes for, and what protects the person while doing them.
// The others run in CI (decision 118).

export interface FastSpec {
  file: string
  /** Part of the titles that are meant, as the spec's file writes them; all of the file without it. */
  title?: string
}

export const FAST_SPECS: readonly FastSpec[] = [
  // From the first start to a first result, on samples and on own data.
  { file: 'engine.spec.ts', title: 'the first five minutes on a real engine' },
  { file: 'home.spec.ts', title: 'each page explains what will appear and how to create it' },
  { file: 'own-data.spec.ts', title: 'from dropped files to the sentence of its result' },

  // Results as they are: verdict, matrix, cell, comparison.
  { file: 'result.spec.ts', title: 'the verdict comes first' },
  { file: 'matrix.spec.ts', title: 'movement by keyboard' },
  { file: 'matrix.spec.ts', title: 'a link reproduces a view' },
  { file: 'matrix.spec.ts', title: 'missing is never shown as a low score' },
  { file: 'cell.spec.ts', title: 'evidence: contexts in order with gold facts marked' },
  { file: 'compare.spec.ts', title: 'a run against another' },

  // Judging: blind, and no vote is lost.
  { file: 'judges.spec.ts', title: 'an unfinished vote outlives a reload' },
  { file: 'judges.spec.ts', title: 'the panel is read without ending a vote' },

  // Hostile text, access, secrets.
  { file: 'judges.spec.ts', title: 'are text: nothing runs, nothing is fetched' },
  { file: 'matrix.spec.ts', title: 'is shown as text: no element, no live link, nothing runs' },
  { file: 'escape.spec.ts' },
  { file: 'home.spec.ts', title: 'one message says how to get a link' },
  { file: 'settings.spec.ts', title: 'a token goes to the engine' },

  // Nothing is lost: crashes, broken streams, removal.
  { file: 'engine.spec.ts', title: 'an engine killed in mid-run' },
  { file: 'run.spec.ts', title: 'a stream that breaks is read on from its number' },
  { file: 'run.spec.ts', title: 'an engine that is gone is reported on every page' },
  { file: 'run.spec.ts', title: 'removes nothing until the run name is typed' },
]
