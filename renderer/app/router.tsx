import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { HomePage } from '../pages/home.tsx'
import { LaunchPage } from '../pages/launch.tsx'
import { MatrixPage } from '../pages/matrix.tsx'
import { ProgressPage } from '../pages/progress.tsx'
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

const routes = [
  createRoute({ ...child('/'), component: HomePage }),
  createRoute({ ...child('/launch'), component: LaunchPage, validateSearch: search.readLaunchSearch }),
  createRoute({
    ...child('/runs'),
    validateSearch: search.readRunsSearch,
    component: lazyRouteComponent(() => import('../pages/runs.tsx'), 'RunsPage'),
  }),
  createRoute({
    ...child('/runs/$run'),
    component: lazyRouteComponent(() => import('../features/run/old-address.tsx'), 'RunAlone'),
  }),
  createRoute({
    ...child('/runs/$run/verdict'),
    validateSearch: search.readRunSearch,
    component: lazyRouteComponent(() => import('../pages/verdict.tsx'), 'VerdictPage'),
  }),
  createRoute({ ...child('/runs/$run/matrix'), component: MatrixPage, validateSearch: search.readMatrixSearch }),
  createRoute({
    ...child('/runs/$run/cell'),
    validateSearch: search.readCellSearch,
    component: lazyRouteComponent(() => import('../pages/cell.tsx'), 'CellPage'),
  }),
  createRoute({
    ...child('/runs/$run/judges'),
    validateSearch: search.readJudgesSearch,
    component: lazyRouteComponent(() => import('../pages/judges.tsx'), 'JudgesPage'),
  }),
  createRoute({
    ...child('/runs/$run/coverage'),
    validateSearch: search.readCoverageSearch,
    component: lazyRouteComponent(() => import('../pages/coverage.tsx'), 'CoveragePage'),
  }),
  createRoute({ ...child('/runs/$run/progress'), component: ProgressPage, validateSearch: search.readProgressSearch }),
  // Each part of a run had a page of its own before, which named its run in the search.
  createRoute({
    ...child('/result'),
    component: lazyRouteComponent(() => import('../features/run/old-address.tsx'), 'OldVerdict'),
  }),
  createRoute({
    ...child('/matrix'),
    component: lazyRouteComponent(() => import('../features/run/old-address.tsx'), 'OldMatrix'),
  }),
  createRoute({
    ...child('/cell'),
    component: lazyRouteComponent(() => import('../features/run/old-address.tsx'), 'OldCell'),
  }),
  createRoute({
    ...child('/judges'),
    component: lazyRouteComponent(() => import('../features/run/old-address.tsx'), 'OldJudges'),
  }),
  createRoute({
    ...child('/coverage'),
    component: lazyRouteComponent(() => import('../features/run/old-address.tsx'), 'OldCoverage'),
  }),
  createRoute({
    ...child('/ladder'),
    component: lazyRouteComponent(() => import('../features/run/old-address.tsx'), 'OldProgress'),
  }),
  createRoute({
    ...child('/compare'),
    validateSearch: search.readCompareSearch,
    component: lazyRouteComponent(() => import('../pages/compare.tsx'), 'ComparePage'),
  }),
  createRoute({
    ...child('/datasets'),
    validateSearch: search.readDatasetSearch,
    component: lazyRouteComponent(() => import('../pages/datasets.tsx'), 'DatasetsPage'),
  }),
  createRoute({
    ...child('/documents'),
    component: lazyRouteComponent(() => import('../pages/documents.tsx'), 'DocumentsPage'),
  }),
  createRoute({
    ...child('/speech'),
    component: lazyRouteComponent(() => import('../pages/speech.tsx'), 'SpeechPage'),
  }),
  createRoute({
    ...child('/voices'),
    component: lazyRouteComponent(() => import('../pages/voices.tsx'), 'VoicesPage'),
  }),
  createRoute({
    ...child('/providers'),
    validateSearch: search.readProvidersSearch,
    component: lazyRouteComponent(() => import('../pages/providers.tsx'), 'ProvidersPage'),
  }),
  createRoute({
    ...child('/models'),
    component: lazyRouteComponent(() => import('../pages/models.tsx'), 'ModelsPage'),
  }),
  createRoute({
    ...child('/settings'),
    validateSearch: search.readSettingsSearch,
    component: lazyRouteComponent(() => import('../pages/settings.tsx'), 'SettingsPage'),
  }),
  createRoute({
    ...child('/help'),
    validateSearch: search.readHelpSearch,
    component: lazyRouteComponent(() => import('../pages/help.tsx'), 'HelpPage'),
  }),
] as const

/** Routes follow `#`: the pages are plain files under two hosts, neither of which needs a fallback rule. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  history: createHashHistory(),
  defaultPendingComponent: () => (
    <Page title="…">
      <LoadingRows rows={8} />
    </Page>
  ),
  defaultErrorComponent: ({ error, reset }) => (
    <Page title={WORDS.thisPageFailed}>
      <ErrorPanel error={error} what={WORDS.thePage} retry={reset} />
    </Page>
  ),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
