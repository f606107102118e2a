import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import type { RunTab } from '../../../core/pages.ts'
import { firstShown } from '../../components/sample-runs.ts'
import { LoadingRows, Page } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { useBlind } from '../../stores/sight.ts'

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
  if (named === undefined && (runs.isPending || jobs.isLoading))
    return (
      <Page title="…">
        <LoadingRows rows={8} />
      </Page>
    )
  const shown = typeof named === 'string' || typeof named === 'number' ? String(named) : newest
  if (shown === undefined) return <Navigate to="/runs" replace />
  const search = land === undefined ? view : { ...view, land: true }
  return <Navigate to={`/runs/$run/${part}`} params={{ run: shown }} search={search as never} replace />
}

/** The address of a run alone leads to its verdict. */
export function RunAlone(): ReactElement {
  const { run } = useParams({ from: '/runs/$run' })
  return <Navigate to="/runs/$run/verdict" params={{ run }} replace />
}

export const OldVerdict = (): ReactElement => <OldRunAddress part="verdict" />
export const OldMatrix = (): ReactElement => <OldRunAddress part="matrix" />
export const OldCell = (): ReactElement => <OldRunAddress part="cell" />
export const OldJudges = (): ReactElement => <OldRunAddress part="judges" />
export const OldCoverage = (): ReactElement => <OldRunAddress part="coverage" />
export const OldProgress = (): ReactElement => <OldRunAddress part="progress" />
