/**
 * The pages of the panel in the order of its menu and of the native menu, by group, each with the page of the guide that explains it. Pages of a group without a name have no heading
 * above them.
 */
export const PAGE_GROUPS = [
  {
    name: null,
    pages: [{ path: '/', label: 'Home', about: 'What is running, last results, services', guide: 'first-run' }],
  },
  {
    name: 'Run',
    pages: [
      {
        path: '/launch',
        label: 'Launch',
        about: 'Choose datasets, approaches and metrics; see the plan; start',
        guide: 'first-run',
      },
      {
        path: '/runs',
        label: 'Runs',
        about: 'All runs: notes, settings, run again, delete',
        guide: 'reading-a-result',
      },
      {
        path: '/compare',
        label: 'Compare',
        about: 'Quality against latency; run against run',
        guide: 'reading-a-result',
      },
    ],
  },
  {
    name: 'Data',
    pages: [
      { path: '/datasets', label: 'Datasets', about: 'Documents, questions, gold facts', guide: 'own-data' },
      { path: '/documents', label: 'Documents', about: 'Convert files; original beside result', guide: 'documents' },
      { path: '/speech', label: 'Speech', about: 'Speech to text, text to speech', guide: 'speech' },
      { path: '/voices', label: 'Voices', about: 'Record a voice, speak in it', guide: 'speech' },
    ],
  },
  {
    name: 'System',
    pages: [
      { path: '/providers', label: 'Services', about: 'Local services, their health and logs', guide: 'services' },
      { path: '/models', label: 'Models', about: 'Connect, test and choose models', guide: 'own-models' },
      { path: '/settings', label: 'Settings', about: 'Endpoints, models, look, index', guide: 'own-models' },
    ],
  },
  {
    name: null,
    pages: [{ path: '/help', label: 'Help', about: 'The guide, also without a network', guide: 'first-run' }],
  },
] as const

type PageEntry = (typeof PAGE_GROUPS)[number]['pages'][number]

export const PAGES: readonly PageEntry[] = PAGE_GROUPS.flatMap(({ pages }): readonly PageEntry[] => pages)

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

const CELL = { label: 'Cell', guide: 'reading-a-result' } as const

/** Last part of an address of a run, such as `matrix`; null for every other address. */
export const partOfRun = (path: string): string | null => /^\/runs\/.+\/([a-z]+)$/.exec(path)?.[1] ?? null

/** Name of the page at an address, and the page of the guide that explains it; null for an unknown address. */
export function pageAt(path: string): { label: string; guide: string } | null {
  const part = partOfRun(path)
  if (part === 'cell') return CELL
  return RUN_TABS.find(({ tab }) => tab === part) ?? PAGES.find((page) => page.path === path) ?? null
}
