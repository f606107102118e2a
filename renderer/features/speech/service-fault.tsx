import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ServiceName } from '../../../contract/control/services.ts'
import { ServiceCallError } from '../../data/service-call.ts'
import styles from './speech.module.css'
import { SPEECH_WORDS } from './speech-words.ts'

const WORDS = SPEECH_WORDS.serviceFault

/** Work goes on when the page that asked for it is left. */
const BUSY = WORDS.busy

/** Shows what a speech service reported when it refused, and where to look. */
export function ServiceFault({ error, service }: { error: Error; service: ServiceName }) {
  return (
    <p role="alert">
      <span aria-hidden="true">▲ </span>
      {error.message}
      {error instanceof ServiceCallError && error.status === 429 && BUSY}
      {/loading|unhealthy|not run/i.test(error.message) && (
        <>
          {' '}
          <a href="#/services">{WORDS.seeLog(service)}</a>
        </>
      )}
    </p>
  )
}

/** The same of what is only read, with a button that reads it once more; nothing while all is well. */
export function ReadingFault({ query, service }: { query: UseQueryResult; service: ServiceName }) {
  if (!query.isError) return null
  return (
    <div className={styles.fault}>
      <ServiceFault error={query.error} service={service} />
      <Button loading={query.isFetching} onClick={() => void query.refetch()}>
        {WORDS.tryAgain}
      </Button>
    </div>
  )
}
