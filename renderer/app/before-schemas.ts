import { config } from 'zod'

// The contract's schemas probe for `new Function` when they are made; the content-security policy would report that. Loaded before them.
config({ jitless: true })
