import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 500
/** What services call the time before they work; everything else beside 200 is a failure. */
const LOADING = new Set(['loading', 'starting', 'initializing'])

async function statusOf(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { status } = JSON.parse(text) as { status?: unknown }
    return typeof status === 'string' ? status : ''
  } catch {
    return ''
  }
}

/** Resolves true when a service says that it works, waiting while it loads. Rejects with what it said instead, and when aborted. */
export async function probeHealth(url: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const response = await fetch(url, { signal })
    const status = await statusOf(response)
    if (response.ok) return true
    if (response.status !== 503 || !LOADING.has(status))
      throw new Error(`${new URL(url).pathname} answered ${response.status}${status === '' ? '' : `, ${status}`}`)
    await delay(POLL_MS, undefined, { signal })
  }
}
