import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ServiceView } from '../../../contract/control/services.ts'
import { notifyFailure } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import styles from './speakers.module.css'

/** Instead of the speakers while speech to text does not run. `onStart`: the button was pressed, and goes once the service runs. */
export function StartStt({ stt, onStart }: { stt: ServiceView; onStart: () => void }) {
  const client = useQueryClient()
  const start = useMutation(
    api.services.start.mutationOptions({
      onSettled: () => void client.invalidateQueries({ queryKey: api.services.list.key() }),
      onError: (error) => notifyFailure('stt', error),
    }),
  )
  const isStarting = start.isPending || stt.state === 'starting' || stt.state === 'backoff'
  return (
    <div className={styles.stack}>
      <p role="status">
        {isStarting ? 'Speech to text is starting …' : 'Speakers are listed while speech to text runs.'}
      </p>
      {!isStarting && stt.detail !== null && (
        <p>
          {stt.state === 'failed' && '▲ '}
          stt: {stt.detail}. <a href="#/providers">See its log</a>
        </p>
      )}
      <Button
        disabled={!stt.can.start}
        loading={isStarting}
        onClick={() => {
          start.mutate({ name: stt.name })
          onStart()
        }}
      >
        Start speech to text
      </Button>
    </div>
  )
}
