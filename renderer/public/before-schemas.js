// The contract's schemas probe for `new Function` when they are created, which the content-security policy reports. A plain script of its own runs
// before every bundled module, whatever chunk that is in.
globalThis.__zod_globalConfig = { jitless: true }
