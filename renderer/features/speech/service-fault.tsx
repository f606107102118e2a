import type { ServiceName } from '../../../contract/control/services.ts'

/** What a speech service said when it refused, and where to look. */
export function ServiceFault({ error, service }: { error: Error; service: ServiceName }) {
  return (
    <p role="alert">
      <span aria-hidden="true">▲ </span>
      {error.message}
      {/loading|unhealthy|not run/i.test(error.message) && (
        <>
          {' '}
          <a href="#/providers">See the log of {service}</a>
        </>
      )}
    </p>
  )
}
