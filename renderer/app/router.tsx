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

/** The address of a run alone leads to its verdict. */
function RunAlone() {
  return <Navigate to="/runs/$run/verdict" params={{ run: useParams({ from: '/runs/$run' }).run }} replace />
}

const routes = [
  createRoute({ ...child('/'), component: HomePage }),
  createRoute({ ...child('/launch'), component: NewRunPage, validateSearch: search.readLaunchSearch }),
  createRoute({
    ...child('/runs'),
    validateSearch: search.readRunsSearch,
    component: lazyPage(() => import('../pages/runs.tsx'), 'RunsPage'),
  }),
  createRoute({ ...child('/runs/$run'), component: RunAlone }),
  createRoute({
    ...child('/runs/$run/verdict'),
    validateSearch: search.readVerdictSearch,
    component: lazyPage(() => import('../pages/verdict.tsx'), 'VerdictPage'),
  }),
  createRoute({ ...child('/runs/$run/matrix'), component: MatrixPage, validateSearch: search.readMatrixSearch }),
  createRoute({
    ...child('/runs/$run/cell'),
    validateSearch: search.readCellSearch,
    component: lazyPage(() => import('../pages/cell.tsx'), 'CellPage'),
  }),
  createRoute({
    ...child('/runs/$run/judges'),
    validateSearch: search.readJudgesSearch,
    component: lazyPage(() => import('../pages/judges.tsx'), 'JudgesPage'),
  }),
  createRoute({
    ...child('/runs/$run/coverage'),
    validateSearch: search.readCoverageSearch,
    component: lazyPage(() => import('../pages/coverage.tsx'), 'CoveragePage'),
  }),
  createRoute({ ...child('/runs/$run/progress'), component: ProgressPage, validateSearch: search.readProgressSearch }),
  createRoute({
    ...child('/runs/compare'),
    validateSearch: search.readCompareSearch,
    component: lazyPage(() => import('../pages/compare.tsx'), 'ComparePage'),
  }),
  createRoute({
    ...child('/datasets'),
    validateSearch: search.readDatasetSearch,
    component: lazyPage(() => import('../pages/datasets.tsx'), 'DatasetsPage'),
  }),
  createRoute({
    ...child('/models'),
    validateSearch: search.readModelsSearch,
    component: lazyPage(() => import('../pages/models.tsx'), 'ModelsPage'),
  }),
  createRoute({ ...child('/tools'), component: () => <Navigate to="/tools/convert" replace /> }),
  createRoute({
    ...child('/tools/tune'),
    validateSearch: search.readTuneSearch,
    component: lazyPage(() => import('../pages/tune.tsx'), 'TunePage'),
  }),
  createRoute({
    ...child('/tools/convert'),
    component: lazyPage(() => import('../pages/convert.tsx'), 'ConvertPage'),
  }),
  createRoute({
    ...child('/tools/audio'),
    validateSearch: search.readAudioSearch,
    component: lazyPage(() => import('../pages/audio.tsx'), 'AudioPage'),
  }),
  createRoute({
    ...child('/services'),
    validateSearch: search.readProvidersSearch,
    component: lazyPage(() => import('../pages/services.tsx'), 'ServicesPage'),
  }),
  createRoute({
    ...child('/settings'),
    validateSearch: search.readSettingsSearch,
    component: lazyPage(() => import('../pages/settings.tsx'), 'SettingsPage'),
  }),
  createRoute({
    ...child('/guide'),
    validateSearch: search.readHelpSearch,
    component: lazyPage(() => import('../pages/guide.tsx'), 'GuidePage'),
  }),
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
