/** The five places of the panel, in the order of its sidebar and of the native menu. `g` and then the key of a place opens it. */
export const PLACES = [
  {
    path: '/',
    key: 'h',
    label: 'Home',
    about: 'The next step, the run under way, the last verdict',
    guide: 'first-run',
  },
  { path: '/datasets', key: 'd', label: 'Datasets', about: 'Documents, questions, gold facts', guide: 'own-data' },
  { path: '/models', key: 'm', label: 'Models', about: 'Connect, test and choose models', guide: 'own-models' },
  {
    path: '/runs',
    key: 'r',
    label: 'Runs',
    about: 'All runs: verdict, notes, compare, run again',
    guide: 'reading-a-result',
  },
  {
    path: '/tools',
    key: 't',
    label: 'Tools',
    about: 'Tune an approach; convert; transcribe and speak',
    guide: 'documents',
  },
] as const

/** The pages at the foot of the sidebar. */
export const FOOT_PAGES = [
  { path: '/services', label: 'Services', about: 'Local services: state, log, restart', guide: 'services' },
  { path: '/settings', label: 'Settings', about: 'Endpoints, tokens, look, index', guide: 'own-models' },
  { path: '/guide', label: 'Guide', about: 'The guide, also without a network', guide: 'first-run' },
] as const

/** The pages inside Tools, in the order of their tabs. */
export const TOOL_PAGES = [
  { path: '/tools/tune', label: 'Tune', about: 'Better settings of an approach, confirmed once', guide: 'tuning' },
  { path: '/tools/convert', label: 'Convert', about: 'Convert files; original beside result', guide: 'documents' },
  { path: '/tools/audio', label: 'Audio', about: 'Transcribe, speak, record voices', guide: 'speech' },
] as const

/** The pages inside Runs that belong to no single run. */
const RUN_PAGES = [
  {
    path: '/launch',
    label: 'New run',
    about: 'Choose datasets, approaches and models; see the plan; start',
    guide: 'first-run',
  },
  { path: '/runs/compare', label: 'Compare', about: 'Run against run', guide: 'reading-a-result' },
] as const

/** Every page that needs no name of a run. */
export const PAGES = [...PLACES, ...RUN_PAGES, ...TOOL_PAGES, ...FOOT_PAGES] as const

/** The parts of a run's page in the order of its tabs: each has an address below the run's own. */
export const RUN_TABS = [
  {
    tab: 'verdict',
    label: 'Verdict',
    about: 'Which approach is better, and how sure that is',
    guide: 'reading-a-result',
  },
  { tab: 'matrix', label: 'Matrix', about: 'Questions by approaches', guide: 'reading-a-result' },
  {
    tab: 'judges',
    label: 'Judges',
    about: 'Grade answers without names; then see how far the judges agree',
    guide: 'judges',
  },
  { tab: 'coverage', label: 'Coverage', about: 'What was measured, and what was not', guide: 'reading-a-result' },
  { tab: 'progress', label: 'Progress', about: 'The run as it happens', guide: 'troubleshooting' },
] as const

export type RunTab = (typeof RUN_TABS)[number]['tab']

/** Address of a part of a run's page. */
export const runPath = (run: string, tab: RunTab): string => `/runs/${encodeURIComponent(run)}/${tab}`

const ANSWER = { label: 'Answer', guide: 'reading-a-result' } as const

/** Last part of an address of a run, such as `matrix`; null for every other address. */
export const partOfRun = (path: string): string | null => /^\/runs\/.+\/([a-z]+)$/.exec(path)?.[1] ?? null

/** Name of the page at an address, and the page of the guide that explains it; null for an unknown address. */
export function pageAt(path: string): { label: string; guide: string } | null {
  const part = partOfRun(path)
  if (part === 'cell') return ANSWER
  return RUN_TABS.find(({ tab }) => tab === part) ?? PAGES.find((page) => page.path === path) ?? null
}

/** Path of the place that an address belongs to; null for a page at the foot and for an unknown address. */
export function placeOf(path: string): (typeof PLACES)[number]['path'] | null {
  if (path === '/launch') return '/runs'
  return PLACES.find((place) => path === place.path || path.startsWith(`${place.path}/`))?.path ?? null
}
