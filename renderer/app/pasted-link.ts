const TOKEN = /^[\w-]{20,}$/

/** Returns where a pasted link, or its token alone, opens these pages; null for any other text. Only the token is taken: the host stays this one. */
export function addressOfLink(pasted: string): string | null {
  const text = pasted.trim()
  const token = TOKEN.test(text) ? text : URL.canParse(text) ? new URL(text).searchParams.get('token') : null
  return token === null || !TOKEN.test(token) ? null : `/open?token=${encodeURIComponent(token)}`
}
