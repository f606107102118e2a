import { describe, expect, it } from 'vitest'
import { createEnvReader } from '../../../kit/env-reader.ts'
import { readMediaSettings } from './media-settings.ts'

describe('a setting', () => {
  const problems = (env: Record<string, string>) => {
    const reader = createEnvReader(env)
    readMediaSettings(reader)
    return reader.problems
  }

  it('has its documented default', () => {
    expect(readMediaSettings(createEnvReader({}))).toEqual({
      requestMaxBytes: 41_943_040,
      inputMaxBytes: 26_214_400,
      inputMaxPixels: 40_000_000,
      operationTtlMs: 604_800_000,
      imageMaxBytes: 20_971_520,
      imageTimeoutMs: 300_000,
      defaultTimeoutMs: 120_000,
      local: { missing: 'COMFYUI_URL' },
      fal: null,
      budget: {
        enabled: false,
        store: 'database',
        currency: 'USD',
        defaultCap: null,
        caps: new Map(),
        allowUnknownCost: false,
        retentionMs: null,
      },
    })
  })

  it.each([
    ['MEDIA_BUDGET_DEFAULT_USD', ['0', '0.5', '1000000'], ['-1', '1000000.1', 'much', '1e3', 'NaN']],
    [
      'MEDIA_BUDGET_CONSUMER_CAPS',
      ['{}', '{"a": 0}', '{"a:b": 1000000}'],
      ['[]', '{', '{"a": -1}', '{"a": "1"}', '{"a:b:c": 1}', '{"a": 1000001}', '{"": 1}'],
    ],
    [
      'MEDIA_FAL_MODELS',
      ['{}', '{"a/b": {"cost_usd": 0}}', '{"a/b": {"cost_usd": 1, "license": "MIT"}}'],
      ['1', '{"a": {"cost_usd": 1}}', '{"a/b": {}}', '{"a/b": {"cost_usd": 1, "x": 1}}', 'none'],
    ],
    ['MEDIA_BUDGET_CURRENCY', ['EUR', 'USD'], ['usd', 'EURO', '€']],
    ['MEDIA_BUDGET_STORE', ['database', 'memory'], ['postgres']],
    ['MEDIA_BUDGET_ENABLED', ['true', 'false'], ['yes', '1', 'TRUE']],
    ['MEDIA_BUDGET_ALLOW_UNKNOWN_COST', ['true', 'false'], ['yes']],
    ['MEDIA_LOCAL_ENABLED', ['true', 'false'], ['on']],
    ['MEDIA_FAL_ENABLED', ['false'], ['maybe']],
    ['FAL_ENDPOINT', ['https://queue.fal.run', 'http://127.0.0.1:1'], ['queue.fal.run', 'ftp://x']],
  ])('%s takes %j and refuses %j, by its name', (name, accepted, refused) => {
    for (const value of accepted) expect([value, problems({ [name]: value })]).toEqual([value, []])
    for (const value of refused)
      expect([value, problems({ [name]: value })]).toEqual([value, [expect.stringMatching(`^${name}: invalid value`)]])
  })

  it('that another one needs is named', () => {
    expect(problems({ MEDIA_FAL_ENABLED: 'true' })).toEqual(['FAL_API_KEY: required while MEDIA_FAL_ENABLED is true'])
  })
})
