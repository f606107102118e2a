import { Radio, Stack } from '@mantine/core'
import type { DatasetPlan } from '../../../contract/control/run-job.ts'
import type { RetryFailed } from '../../../contract/evidence/run-event.ts'
import styles from './launch.module.css'
import { LAUNCH_WORDS } from './launch-words.ts'

const WORDS = LAUNCH_WORDS.retryQuestion

interface RetryQuestionProps {
  plan: { datasets: DatasetPlan[] }
  onChange: (retry: RetryFailed) => void
}

/** What a plan that goes on with a stored run does with its failed cells, and the other choices. Nothing when no cell failed. */
export function RetryQuestion({ plan: { datasets }, onChange }: RetryQuestionProps) {
  const sum = (of: (dataset: DatasetPlan) => number | undefined): number =>
    datasets.reduce((total, dataset) => total + (of(dataset) ?? 0), 0)
  const [access, other] = [sum(({ failed }) => failed?.access), sum(({ failed }) => failed?.other)]
  const failed = access + other
  if (failed === 0) return null
  const retried = sum(({ retry }) => retry)
  const chosen: RetryFailed = retried === 0 ? 'none' : retried === failed ? 'all' : 'access'
  const isMixed = access > 0 && other > 0
  return (
    <Radio.Group
      className={styles.retry}
      label={WORDS.retryQuestion(failed, failed === 1 ? 'it' : 'them')}
      value={chosen}
      onChange={onChange}
    >
      <Stack gap={8} mt={8}>
        <Radio value="all" label={failed === 1 ? WORDS.yes : WORDS.all(failed)} />
        {isMixed && <Radio value="access" label={WORDS.retryAccess(access)} />}
        <Radio value="none" label={failed === 1 ? WORDS.keepOne : WORDS.keepAll} />
      </Stack>
    </Radio.Group>
  )
}
