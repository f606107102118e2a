import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { LadderStep } from '../../../contract/evidence/run-event.ts'
import { api } from '../../data/client.ts'
import { type Repair, repairsOf, relaunchSearch } from './repair.ts'
import { useRecover } from './use-recover.ts'
import { useRunControl } from './run-control.ts'
import styles from './ladder.module.css'
import { LADDER_WORDS } from './ladder-words.ts'

const WORDS = LADDER_WORDS.repairButtons

interface RepairButtonsProps {
  runId: string
  /** Null for a failure of the whole run. */
  step: LadderStep | null
  code: string
  /** The page has no other button that comes first. */
  isPrimary: boolean
}

/** The buttons that repair a failure, the likeliest first. */
export function RepairButtons({ runId, step, code, isPrimary }: RepairButtonsProps) {
  const navigate = useNavigate()
  const control = useRunControl()
  const job = useQuery(api.runs.jobs.queryOptions()).data?.find(({ run_id: run }) => run === runId)
  const repairs = repairsOf({ step, code }, job?.resumable === true)
  const recover = useRecover()
  if (repairs.length === 0) return null
  const actions: Record<Repair, { label: string; act: () => void }> = {
    recover: { label: WORDS.moveTornBytes, act: () => recover.mutate({ run_id: runId }) },
    resume: { label: WORDS.resumeRun, act: () => control.resume(runId) },
    relaunch: {
      label: WORDS.startNewRun,
      act: () => void navigate({ to: '/launch', search: job === undefined ? {} : relaunchSearch(job) }),
    },
    providers: { label: WORDS.openProviders, act: () => void navigate({ to: '/services' }) },
    models: { label: WORDS.openModels, act: () => void navigate({ to: '/models' }) },
    settings: { label: WORDS.openSettings, act: () => void navigate({ to: '/settings' }) },
  }
  return (
    <div className={styles.repair}>
      {repairs.map((repair, index) => (
        <Button
          key={repair}
          variant={isPrimary && index === 0 ? 'filled' : 'default'}
          loading={repair === 'recover' && recover.isPending}
          onClick={actions[repair].act}
        >
          {actions[repair].label}
        </Button>
      ))}
    </div>
  )
}
