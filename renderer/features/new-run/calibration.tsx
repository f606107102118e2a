import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { DatasetPlan } from '../../../contract/control/run-job.ts'
import { countWords } from '../../../contract/words.ts'
import { needsCalibration } from '../../../core/expected-work-words.ts'
import { duration } from '../../components/format.ts'
import { ErrorPanel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'

const WORDS = NEW_RUN_WORDS.calibration

interface CalibrationProps {
  plan: { datasets: DatasetPlan[] }
  /** Null is the default set. */
  set: string | null
}

/** Offers to ask the models three times where no earlier row gives an estimate, and shows what the calls took. */
export function Calibration({ plan: { datasets }, set }: CalibrationProps) {
  const calibrate = useMutation(api.models.calibrate.mutationOptions({ meta: { refreshes: [api.experiment.key()] } }))
  const isOfSet = calibrate.variables?.set === set
  const isOffered = datasets.some(({ run, work }) => run > 0 && needsCalibration(work))
  if (!isOffered && !(isOfSet && calibrate.isSuccess)) return null
  return (
    <div className={styles.calibration}>
      {isOffered && (
        <>
          <Button
            size="compact-sm"
            loading={calibrate.isPending}
            aria-describedby="calibration-cost"
            onClick={() => calibrate.mutate({ set })}
          >
            {WORDS.measure}
          </Button>
          <p id="calibration-cost" className="dim">
            {WORDS.what}
          </p>
        </>
      )}
      {isOfSet && calibrate.error !== null && <ErrorPanel error={calibrate.error} what={WORDS.measuring} />}
      {isOfSet &&
        calibrate.data?.map(({ model, latency_ms: latency, input_tokens: read, output_tokens: written }) => (
          <p key={model} role="status">
            {WORDS.measured(
              model,
              duration(latency),
              read === null || written === null
                ? null
                : [countWords(Math.round(read)), countWords(Math.round(written))],
            )}
          </p>
        ))}
    </div>
  )
}
