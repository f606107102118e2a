import { expect, it } from 'vitest'
import { watchSight } from './sight-of-page.ts'

/** A page whose visibility a test sets. */
class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = 'visible'
  turn(state: DocumentVisibilityState): void {
    this.visibilityState = state
    this.dispatchEvent(new Event('visibilitychange'))
  }
}

it('a page that is hidden ends what it reads, and goes on when it is shown', async () => {
  const page = new Page()
  const sight = watchSight(new AbortController().signal, page)
  await sight.shown()
  const signal = sight.hidden()
  page.turn('visible')
  expect(signal.aborted).toBe(false)
  page.turn('hidden')
  expect(signal.aborted).toBe(true)
  const events: string[] = []
  const shown = sight.shown().then(() => events.push('shown'))
  page.turn('hidden')
  events.push('still hidden')
  page.turn('visible')
  await shown
  expect(events).toEqual(['still hidden', 'shown'])
  expect(sight.hidden().aborted).toBe(false)
})

it('what is waited for ends with the page', async () => {
  const page = new Page()
  const end = new AbortController()
  const sight = watchSight(end.signal, page)
  const signal = sight.hidden()
  page.turn('hidden')
  const shown = sight.shown()
  end.abort()
  await shown
  expect(signal.aborted).toBe(true)
  expect(sight.hidden().aborted).toBe(true)
})
