import { Radio, Stack } from '@mantine/core'
import type { DatasetPlan } from '../../../contract/control/run-job.ts'
import type { RetryFailed } from '../../../contract/evidence/run-event.ts'
import { plural } from '../../components/format.ts'
import styles from './launch.module.css'

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
      label={`${plural(failed, 'cell')} of this run failed. Try ${failed === 1 ? 'it' : 'them'} again?`}
      value={chosen}
      onChange={onChange}
    >
      <Stack gap={8} mt={8}>
        <Radio value="all" label={failed === 1 ? 'Yes' : `All ${failed}`} />
        {isMixed && <Radio value="access" label={`Only ${access} without access or connection (HTTP 401, 403, 404)`} />}
        <Radio value="none" label={failed === 1 ? 'No, keep it as failed' : 'None, keep them as failed'} />
      </Stack>
    </Radio.Group>
  )
}
