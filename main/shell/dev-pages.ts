import { POLICY_DIRECTIVES, policyOf, SECURITY_HEADERS } from '../engine/http/content-security-policy.ts'

/**
 * The policy while the pages are worked on, and only then: the shipped one, and what reloading needs besides, which is a script that Vite
 * writes into the page and a socket to its server. Everything else that the shipped policy refuses is refused here too.
 */
export const devPolicy = (devServer: string): string =>
  policyOf({
    ...POLICY_DIRECTIVES,
    'script-src': `${POLICY_DIRECTIVES['script-src']} 'unsafe-inline'`,
    'connect-src': `${POLICY_DIRECTIVES['connect-src']} ${devServer.replace(/^http/, 'ws')}`,
  })

/** A server that restarts, after an edit of its configuration, is away for a moment. */
const TRIES = 20
const AGAIN_AFTER_MS = 250

async function ask(url: URL): Promise<Response> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await fetch(url)
    } catch (error) {
      if (attempt === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS))
    }
}

/** A file of the pages as the server makes it that builds them as they change. Rejects when that server stays away. */
export async function devAnswer(devServer: string, { pathname, search }: URL): Promise<Response> {
  const answer = await ask(new URL(pathname + search, devServer))
  const type = answer.headers.get('content-type')
  // Whole: Electron at times loses the end of a stream.
  return new Response(await answer.arrayBuffer(), {
    status: answer.status,
    headers: {
      ...SECURITY_HEADERS,
      'content-security-policy': devPolicy(devServer),
      'cache-control': 'no-store',
      ...(type === null ? {} : { 'content-type': type }),
    },
  })
}
