import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunRequestInput } from '../../../contract/control/run-job.ts'
import { api } from '../../data/client.ts'
import { mustAsk } from './effects.ts'
import type { PlanState } from './use-plan.ts'

/** Starts what the plan shows. */
export interface RunStart {
  /** True where the plan is of this request and nothing stands against it. */
  isReady: boolean
  isStarting: boolean
  error: Error | null
  /** Answers that the run makes or scores. */
  answers: number
  /** Asks first where the run moves or replaces something. */
  ask: () => void
  isAsking: boolean
  confirm: () => void
  keep: () => void
}

export function useStartRun(request: RunRequestInput, { plan, isStale }: PlanState): RunStart {
  const navigate = useNavigate()
  const start = useMutation(
    api.runs.start.mutationOptions({
      onSuccess: ({ run_id: run }) =>
        void navigate({ to: '/runs/$run/progress', params: { run }, search: { land: true } }),
    }),
  )
  const [isAsking, setAsking] = useState(false)
  const isReady = plan !== null && plan.totals.conflicts === 0 && plan.blockers.length === 0 && !isStale
  const confirm = (): void => {
    setAsking(false)
    if (plan === null) return
    const { deletions, publications } = plan
    start.mutate({
      ...request,
      // The name in the plan, which may be made from the time of day, is the one that was confirmed.
      run_id: plan.run_id,
      ...(deletions.length === 0 ? {} : { confirmed_deletions: deletions }),
      ...(publications.length === 0 ? {} : { confirmed_publications: publications }),
    })
  }
  return {
    isReady,
    isStarting: start.isPending,
    error: start.error,
    answers: plan === null ? 0 : plan.totals.run + plan.totals.answered,
    ask: () => {
      if (!isReady || start.isPending) return
      if (mustAsk(plan)) setAsking(true)
      else confirm()
    },
    isAsking,
    confirm,
    keep: () => setAsking(false),
  }
}
