/** Allowed sources by kind of content. */
type PolicyDirectives = Readonly<Record<string, string>>

/** The directives as the header has them. */
export const policyOf = (directives: PolicyDirectives): string =>
  Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')

/**
 * The one policy of the panel, sent by the engine and the desktop shell: nothing but our own files and our own API. Inline styles are allowed,
 * because the player of recordings writes one into its own corner of the page; scripts never. blob: for audio that is played or recorded, and for saved charts.
 */
export const POLICY_DIRECTIVES: PolicyDirectives = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'media-src': "'self' blob:",
  'worker-src': "'self'",
  'manifest-src': "'self'",
  'form-action': "'none'",
  'base-uri': "'none'",
  'frame-src': "'none'",
  'frame-ancestors': "'none'",
}

export const CONTENT_SECURITY_POLICY = policyOf(POLICY_DIRECTIVES)

/** Headers of every answer that can become a page. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'microphone=(self), camera=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=()',
}
