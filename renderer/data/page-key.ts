import { PAGE_KEY_HEADER, PAGE_KEY_PARAMETER } from '../../contract/control/system.ts'

/** Kept by the browser for this address alone, port included; shared by its tabs. */
const STORED = 'rag-ladder-page-key'

/** Takes the key out of the address that a one-time link led to, before it can be seen or copied. */
function takeFromAddress(): void {
  const address = new URL(location.href)
  const key = address.searchParams.get(PAGE_KEY_PARAMETER)
  if (key === null) return
  localStorage.setItem(STORED, key)
  address.searchParams.delete(PAGE_KEY_PARAMETER)
  history.replaceState(history.state, '', address)
}

// Modules of pages are also read by unit tests, which have no address.
if ('location' in globalThis) takeFromAddress()

/** Returns what shows the engine that a call comes from a page of its own; empty in the desktop app, whose shell vouches for its pages. */
export function pageKeyHeader(): Record<string, string> {
  const key = localStorage.getItem(STORED)
  return key === null ? {} : { [PAGE_KEY_HEADER]: key }
}
