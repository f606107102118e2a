import { CLOUD_MARK } from '../../core/evidence/cloud-use.ts'
import { plural } from './format.ts'

/** The texts of the shared components. */
export const COMPONENT_WORDS = {
  cancel: 'Cancel',

  confirmDialog: {
    type: 'Type ',
    toConfirm: ' to confirm',
  },

  estimate: {
    nothingToMeasure: 'nothing to measure',
    undefinedValue: 'not defined: all values are equal',
    fewGroups: 'no interval: fewer than 8 independent groups',
    groupsAgree: 'no interval: all groups agree',
    computing: 'computing …',
  },

  sample: {
    mark: 'sample',
    about: 'Published with the project, not a run of yours',
    named: (run: string) => `${run} (sample)`,
    own: 'Your runs',
    samples: 'Sample results',
  },

  partial: {
    mark: (made: string, planned: string | null) =>
      planned === null ? `◐ partial: ${made} answers` : `◐ partial: ${made} of ${planned} planned answers`,
    about: 'The run does not have all its answers: its means rest on those that it has.',
  },

  hiddenGrades: {
    mark: 'judge grades hidden',
    about:
      'You are grading these answers blindly: the grades of the judges are hidden until you reveal the approaches in the tab Judges.',
  },

  experimental: {
    mark: 'experimental',
    about: 'Never run here on its real weights: it may fail, or answer wrongly.',
  },

  roleTable: {
    work: 'Work',
    model: 'Model',
    backend: 'By',
    where: 'Where',
    tested: 'Tested',
    answered: (at: string) => `● answered ${at}`,
    notTested: '○ not tested',
    role: 'Role',
    price: (currency: string) => `${currency} per million tokens`,
    readWritten: (input: number, output: number) => `${input} read, ${output} written`,
    noPrice: '▲ no price',
  },

  where: (cloud: boolean) => (cloud ? CLOUD_MARK : '● local'),

  cloudMark: (roles: readonly string[]) =>
    roles.length === 0
      ? `${CLOUD_MARK}: every call leaves this machine`
      : `${CLOUD_MARK}: calls leave this machine where a model ${roles.join(', ')}`,

  states: {
    restart: 'This link has expired. Start "rag-ladder serve" again and open the link that it prints.',
    noEngine: 'The engine does not answer. It keeps every stored answer; this page reconnects when it does.',
    indexBusy: 'The index is being rebuilt. Try again in a moment.',
    notFound: 'It may have been removed, or the link is from another project.',
    invalidFile: 'Repair the file; this page reloads it by itself.',
    unreadable: (what: string) => `${what} could not be read`,
    tryAgain: 'Try again',
    loading: 'Loading',
  },

  unreadableFiles: {
    unreadableFiles: (damaged: number) =>
      `${plural(damaged, 'file')} could not be read from some point on. All other files are shown.`,
    line: (line: string) => ` line ${line},`,
    byte: (offset: string) => ` byte ${offset}`,
  },
} as const
