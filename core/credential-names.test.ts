import { expect, it } from 'vitest'
import { withoutCredentials } from './credential-names.ts'

it('withoutCredentials leaves out what opens something and keeps the settings', () => {
  const credentials = {
    OPENAI_API_KEY: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    HF_TOKEN: 'c',
    GITHUB_PAT: 'd',
    DATABASE_URL: 'e',
    GOOGLE_APPLICATION_CREDENTIALS: 'f',
    DB_PASSWORD: 'g',
    SENTRY_DSN: 'h',
    SSH_AUTH_SOCK: 'i',
  }
  const settings = {
    PATH: '/bin',
    HOME: '/home/ada',
    DOCCONV_CONCURRENCY: '2',
    HF_ENDPOINT: 'https://hub',
    STT_AUTH_MODE: 'required',
    UNSET: undefined,
  }
  expect(withoutCredentials({ ...credentials, ...settings })).toEqual({
    PATH: '/bin',
    HOME: '/home/ada',
    DOCCONV_CONCURRENCY: '2',
    HF_ENDPOINT: 'https://hub',
    STT_AUTH_MODE: 'required',
  })
})
