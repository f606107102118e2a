import fc from 'fast-check'

// Property tests try the same values in every run, so that a failure comes from a change and not from chance. RAG_LADDER_SEED=N tries others.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['RAG_LADDER_SEED'] ?? 20_261_128) })
