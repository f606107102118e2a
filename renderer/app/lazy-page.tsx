import { lazyRouteComponent } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { ErrorPanel, Page } from '../components/states.tsx'
import { useEventLink } from '../data/events.ts'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.router

/** The engine that serves a page's code did not answer. */
class PageNotFetched extends Error {}

const isServed = (): Promise<boolean> =>
  fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )

/**
 * A page whose code is fetched when it is opened. Where that fails, the router loads the whole document again, which repairs a page of an older
 * engine; with no engine it would leave the browser's own error page, so that this failure is kept from it.
 */
export const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) =>
  lazyRouteComponent(
    () =>
      load().catch(async (cause: unknown) => {
        throw (await isServed()) ? cause : new PageNotFetched(WORDS.notFetched, { cause })
      }),
    name,
  )

/** In place of a page that failed. One whose code is missing loads again when the engine is back: its other files are missing too. */
export function PageFailed({ error, reset }: { error: unknown; reset: () => void }) {
  const link = useEventLink()
  const wasLost = useRef(false)
  const isMissing = error instanceof PageNotFetched
  useEffect(() => {
    if (link !== 'open') wasLost.current = true
    else if (isMissing && wasLost.current) location.reload()
  }, [link, isMissing])
  return (
    <Page title={WORDS.thisPageFailed}>
      <ErrorPanel error={error} what={WORDS.thePage} {...(isMissing ? {} : { retry: reset })} />
    </Page>
  )
}
