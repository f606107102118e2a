import { useQuery } from '@tanstack/react-query'
import { type AnyRoute, createRoute, Navigate, useSearch } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { RunTab } from '../../core/pages.ts'
import { firstShown } from '../components/sample-runs.ts'
import { LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useBlind } from '../stores/sight.ts'

/** A page that is not there yet. */
export const PagePending = (): ReactElement => (
  <Page title="…">
    <LoadingRows rows={8} />
  </Page>
)

/** Goes on to the part of the run that an old address names; without a name to that of the run under way, or the person's newest. */
function OldRunAddress({ part }: { part: RunTab | 'cell' }): ReactElement {
  const { run, land, ...view }: Record<string, unknown> = useSearch({ strict: false })
  const blind = useBlind()
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } }))
  const jobs = useQuery({ ...api.runs.jobs.queryOptions(), enabled: part === 'progress' && !blind })
  const named = run ?? land
  const newest =
    (part === 'progress' ? jobs.data?.find(({ state }) => state !== 'queued')?.run_id : undefined) ??
    firstShown(runs.data?.runs ?? [], new Set(runs.data?.samples))?.run_id
  if (named === undefined && (runs.isPending || jobs.isLoading)) return <PagePending />
  const shown = typeof named === 'string' || typeof named === 'number' ? String(named) : newest
  if (shown === undefined) return <Navigate to="/runs" replace />
  const search = land === undefined ? view : { ...view, land: true }
  return <Navigate to={`/runs/$run/${part}`} params={{ run: shown }} search={search as never} replace />
}

/** Each part of a run had a page of its own, which named its run in the search. */
const RUN_PARTS: Record<string, RunTab | 'cell'> = {
  '/result': 'verdict',
  '/matrix': 'matrix',
  '/cell': 'cell',
  '/judges': 'judges',
  '/coverage': 'coverage',
  '/ladder': 'progress',
}

/** Pages whose address is now another, with what their view adds to the search. */
const MOVED: Record<string, { to: string; view?: Record<string, string> }> = {
  '/compare': { to: '/runs/compare' },
  '/documents': { to: '/tools/convert' },
  '/speech': { to: '/tools/audio' },
  '/voices': { to: '/tools/audio', view: { view: 'voices' } },
  '/providers': { to: '/services' },
  '/help': { to: '/guide' },
}

function MovedPage({ to, view }: { to: string; view?: Record<string, string> }): ReactElement {
  const search: Record<string, unknown> = useSearch({ strict: false })
  return <Navigate to={to as never} search={{ ...search, ...view } as never} replace />
}

/** Routes of the addresses that earlier versions had: each goes on to the page of today with the same view. */
export const oldRoutes = (root: AnyRoute): AnyRoute[] => [
  ...Object.entries(RUN_PARTS).map(([path, part]) =>
    createRoute({ getParentRoute: () => root, path, component: () => <OldRunAddress part={part} /> }),
  ),
  ...Object.entries(MOVED).map(([path, moved]) =>
    createRoute({ getParentRoute: () => root, path, component: () => <MovedPage {...moved} /> }),
  ),
]
