import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Navigate,
  useParams,
} from '@tanstack/react-router'
import { Page } from '../components/states.tsx'
import { HomePage } from '../pages/home.tsx'
import { NewRunPage } from '../pages/new-run.tsx'
import { MatrixPage } from '../pages/matrix.tsx'
import { ProgressPage } from '../pages/progress.tsx'
import { lazyPage, PageFailed } from './lazy-page.tsx'
import { oldRoutes, PagePending } from './old-addresses.tsx'
import * as search from './search-params.ts'
import { Shell } from './shell.tsx'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.router

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Page title={WORDS.noSuchPage}>
      <p>{WORDS.choosePage}</p>
    </Page>
  ),
})
const child = <Path extends string>(path: Path) => ({ getParentRoute: () => root, path }) as const

/** A page whose code is fetched when it is opened, with what its address holds. */
const page = <
  Path extends string,
  Search extends (raw: Record<string, unknown>) => object,
  Module extends Record<string, unknown>,
>(
  path: Path,
  validateSearch: Search,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => createRoute({ ...child(path), validateSearch, component: lazyPage(load, name) })

/** The address of a run alone leads to its verdict. */
function RunAlone() {
  return <Navigate to="/runs/$run/verdict" params={{ run: useParams({ from: '/runs/$run' }).run }} replace />
}

const routes = [
  createRoute({ ...child('/'), component: HomePage }),
  createRoute({ ...child('/launch'), component: NewRunPage, validateSearch: search.readLaunchSearch }),
  page('/runs', search.readRunsSearch, () => import('../pages/runs.tsx'), 'RunsPage'),
  createRoute({ ...child('/runs/$run'), component: RunAlone }),
  page('/runs/$run/verdict', search.readVerdictSearch, () => import('../pages/verdict.tsx'), 'VerdictPage'),
  createRoute({ ...child('/runs/$run/matrix'), component: MatrixPage, validateSearch: search.readMatrixSearch }),
  page('/runs/$run/cell', search.readCellSearch, () => import('../pages/cell.tsx'), 'CellPage'),
  page('/runs/$run/judges', search.readJudgesSearch, () => import('../pages/judges.tsx'), 'JudgesPage'),
  page('/runs/$run/coverage', search.readCoverageSearch, () => import('../pages/coverage.tsx'), 'CoveragePage'),
  createRoute({ ...child('/runs/$run/progress'), component: ProgressPage, validateSearch: search.readProgressSearch }),
  page('/runs/compare', search.readCompareSearch, () => import('../pages/compare.tsx'), 'ComparePage'),
  page('/datasets', search.readDatasetSearch, () => import('../pages/datasets.tsx'), 'DatasetsPage'),
  page('/models', search.readModelsSearch, () => import('../pages/models.tsx'), 'ModelsPage'),
  createRoute({ ...child('/tools'), component: () => <Navigate to="/tools/convert" replace /> }),
  page('/tools/tune', search.readTuneSearch, () => import('../pages/tune.tsx'), 'TunePage'),
  createRoute({
    ...child('/tools/convert'),
    component: lazyPage(() => import('../pages/convert.tsx'), 'ConvertPage'),
  }),
  page('/tools/audio', search.readAudioSearch, () => import('../pages/audio.tsx'), 'AudioPage'),
  page('/services', search.readProvidersSearch, () => import('../pages/services.tsx'), 'ServicesPage'),
  page('/settings', search.readSettingsSearch, () => import('../pages/settings.tsx'), 'SettingsPage'),
  page('/guide', search.readHelpSearch, () => import('../pages/guide.tsx'), 'GuidePage'),
] as const

/** Routes follow `#`: the pages are plain files under two hosts, neither of which needs a fallback rule. */
export const router = createRouter({
  // The old addresses stay out of the types: no page links to them.
  routeTree: root.addChildren([...routes, ...(oldRoutes(root) as [])]),
  history: createHashHistory(),
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailed,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
