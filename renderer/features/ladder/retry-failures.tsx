import { Button, Checkbox, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { FailureClass } from '../../../contract/control/run-job.ts'
import { ConfirmButton } from '../../components/confirm-dialog.tsx'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { api } from '../../data/client.ts'
import { LADDER_WORDS } from './ladder-words.ts'
import { missingApproaches, missingSearch, needsOtherModel } from './repair.ts'

const WORDS = LADDER_WORDS.retryFailures

/** Makes failed cells and scores of a run again, in a new run, after asking which; approaches that were left out, in one of their own. Nothing while the run is under way, or where nothing failed. */
export function RetryFailuresButton({ run, isPrimary = false }: { run: string; isPrimary?: boolean }) {
  const navigate = useNavigate()
  const [left, setLeft] = useState<readonly FailureClass[]>([])
  const job = useQuery(api.runs.jobs.queryOptions()).data?.find(({ run_id: id }) => id === run)
  const isUnfinished = job !== undefined && (isUnderWayOrQueued(job.state) || job.state === 'paused')
  const { data } = useQuery({
    ...api.runs.failures.queryOptions({ input: { run_id: run } }),
    enabled: !isUnfinished,
    // A run whose files are elsewhere has nothing to retry.
    retry: false,
  })
  const retry = useMutation(
    api.runs.retryFailures.mutationOptions({
      onSuccess: ({ run_id: run }) => void navigate({ to: '/runs/$run/progress', params: { run } }),
      meta: { failed: WORDS.retrying },
    }),
  )
  const lacksModel = job?.failures.some(needsOtherModel) === true
  const view = useQuery({
    ...api.runs.view.queryOptions({ input: { run_id: run } }),
    enabled: lacksModel && !isUnfinished,
    retry: false,
  }).data
  const missing = lacksModel ? missingApproaches(view?.datasets ?? []) : []
  const failures = data?.classes ?? []
  if (isUnfinished || (failures.length === 0 && missing.length === 0)) return null
  const chosen = failures.filter((failure) => !left.includes(failure.class))
  const cells = chosen.reduce((sum, failure) => sum + failure.cells, 0)
  const toggle = (name: FailureClass): void =>
    setLeft(left.includes(name) ? left.filter((each) => each !== name) : [...left, name])
  return (
    <ConfirmButton
      label={WORDS.openDialog}
      isPrimary={isPrimary}
      title={WORDS.question(run)}
      confirm={WORDS.confirm(cells)}
      keep={WORDS.keep}
      tone="plain"
      held={cells === 0}
      loading={retry.isPending}
      onConfirm={(close) =>
        retry.mutate({ run_id: run, classes: chosen.map((failure) => failure.class) }, { onSuccess: close })
      }
    >
      {job !== undefined && missing.length > 0 && (
        <>
          <p>{WORDS.missing(missing)}</p>
          <Button onClick={() => void navigate({ to: '/launch', search: missingSearch(job, missing) })}>
            {WORDS.makeMissing}
          </Button>
        </>
      )}
      {failures.length > 0 && <p>{WORDS.newRun}</p>}
      <Stack gap={8} role="group" aria-label={WORDS.triedAgain}>
        {failures.map((failure) => (
          <Checkbox
            key={failure.class}
            checked={!left.includes(failure.class)}
            onChange={() => toggle(failure.class)}
            label={WORDS.failureClass(failure)}
          />
        ))}
      </Stack>
      {failures.length > 0 && <p className="dim">{WORDS.refusals}</p>}
    </ConfirmButton>
  )
}
