// The desktop app shows the same build of the pages over the same control API as the browser. What can differ is the shell around them. So every
// page spec runs in Chromium, and in Electron those of this list: each passes through a part of the shell. Decision 118.

/** Names the parts of the shell that a spec passes through. */
export type ShellPart =
  /** The app's own scheme: files of the pages, workers, storage, history, the content-security policy. */
  | 'protocol'
  /** Calls and streams to the engine, and bodies to its services, which the shell forwards. */
  | 'forwarding'
  /** Files that a page hands over to the person, or takes. */
  | 'files'
  /** Keys that the native menu could take away. */
  | 'menu'
  /** Covers what a page may ask of the system, and ways out of the window. */
  | 'permissions'
  /** Covers what hostile text does in the app's own scheme: nothing runs, nothing is fetched. */
  | 'hostile text'
  /** Covers what differs on a page because the bridge to the shell is there. */
  | 'bridge'

export interface ShellSpec {
  file: string
  /** Part of the titles that are meant, as the spec's file writes them; all of the file without it. */
  title?: string
  part: ShellPart
}

/** Specs that need a window of the app itself; a browser has none of what they test. */
export const DESKTOP_ONLY = 'desktop-*.spec.ts'

export const SHELL_SPECS: readonly ShellSpec[] = [
  // Each page is opened once without content, and the one with workers and the most rows with it.
  { file: 'screens.spec.ts', title: 'an open cell and its evidence diff', part: 'protocol' },
  { file: 'home.spec.ts', title: 'each page explains what will appear and how to create it', part: 'protocol' },
  { file: 'help.spec.ts', title: 'each page links to its page of the guide', part: 'protocol' },
  { file: 'home.spec.ts', title: 'an unknown address is reported and keeps the links to the pages', part: 'protocol' },
  { file: 'cell.spec.ts', title: 'a cell as a page keeps the way back to the same view', part: 'protocol' },
  { file: 'datasets.spec.ts', title: 'the graph drawn: laid out beside the page, with a legend', part: 'protocol' },
  { file: 'judges.spec.ts', title: 'an unfinished vote outlives a reload', part: 'protocol' },
  { file: 'judges.spec.ts', title: 'are text: nothing runs, nothing is fetched', part: 'hostile text' },
  { file: 'matrix.spec.ts', title: 'is shown as text: no element, no live link, nothing runs', part: 'hostile text' },

  { file: 'screens.spec.ts', title: 'the smoke ladder from one button to the verdict', part: 'forwarding' },
  { file: 'run.spec.ts', title: 'a stream that breaks is read on from its number', part: 'forwarding' },
  { file: 'run.spec.ts', title: 'an engine that is gone is reported on every page', part: 'forwarding' },
  { file: 'documents.spec.ts', title: 'a dropped file is converted and shown beside its original', part: 'forwarding' },

  { file: 'result.spec.ts', title: 'charts are saved as pictures that name what they show', part: 'files' },
  { file: 'matrix.spec.ts', title: 'exports a file', part: 'files' },
  { file: 'own-data.spec.ts', title: 'comes from a public question set in its own format', part: 'files' },

  { file: 'home.spec.ts', title: 'the palette runs a command by keyboard alone', part: 'menu' },
  { file: 'home.spec.ts', title: 'keys that follow the shortcut at once all arrive in the palette', part: 'menu' },
  { file: 'matrix.spec.ts', title: 'movement by keyboard', part: 'menu' },
  { file: 'keyboard.spec.ts', title: 'two runs are ticked and compared', part: 'menu' },
  {
    file: 'keyboard.spec.ts',
    title: 'the question on which approaches differ most is opened from the verdict',
    part: 'menu',
  },
  { file: 'keyboard.spec.ts', title: 'a report and a table leave by the menu Share', part: 'menu' },
  { file: 'keyboard.spec.ts', title: 'a finished run is opened again with a new flavor', part: 'menu' },
  { file: 'keyboard.spec.ts', title: 'answers are given to a panel of judges', part: 'menu' },
  { file: 'keyboard.spec.ts', title: 'files are chosen in Tools', part: 'menu' },

  { file: 'escape.spec.ts', part: 'permissions' },

  { file: 'documents.spec.ts', title: 'without pages to draw says so', part: 'bridge' },
  { file: 'settings.spec.ts', title: 'a token goes to the engine', part: 'bridge' },
  { file: 'settings.spec.ts', title: 'the look is kept', part: 'bridge' },
]

/** Matches the full titles (project, file, describes, title) of the tests that are meant. */
export const titlesOf = ({ file, title = '' }: { file: string; title?: string }): RegExp =>
  new RegExp(`\\b${RegExp.escape(file)} .*${RegExp.escape(title)}`)

/** Returns true for what the fast tier repeats in Electron too: it protects the person at the app. */
const isInFastTier = ({ part, file }: ShellSpec): boolean =>
  part === 'permissions' || (part === 'hostile text' && file === 'matrix.spec.ts')

/** Specs that Electron repeats in CI only. */
export const REPEATED_IN_CI = SHELL_SPECS.filter((spec) => !isInFastTier(spec))

/** Specs of the app alone that the fast tier runs: it ends its processes, restarts them, and gives a page nothing that it may not have. */
export const FAST_DESKTOP_SPECS: readonly Omit<ShellSpec, 'part'>[] = [
  { file: 'desktop-children.spec.ts', title: 'an exit is reported with its code and followed by a restart' },
  { file: 'desktop-children.spec.ts', title: 'one that ignores the request and SIGTERM is killed' },
  { file: 'desktop-life.spec.ts', title: 'an app that is killed leaves no process running' },
  { file: 'desktop-life.spec.ts', title: 'the page sees neither the token nor Node' },
]

/** Matches the full titles (project, file, describes, title) of what a tier repeats in Electron, and of what runs in Electron only. */
export const shellSpecTitles = (tier: 'fast' | 'full'): RegExp[] => [
  ...(tier === 'full'
    ? [new RegExp(`\\b${RegExp.escape(DESKTOP_ONLY).replace('\\*', '[\\w-]+')} `)]
    : FAST_DESKTOP_SPECS.map(titlesOf)),
  ...SHELL_SPECS.filter((spec) => tier === 'full' || isInFastTier(spec)).map(titlesOf),
]
