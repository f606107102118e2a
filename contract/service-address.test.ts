import { describe, expect, it } from 'vitest'
import { JudgePanelSettings } from './manifests/evaluation.ts'
import { addressProblem } from './service-address.ts'

describe('addressProblem', () => {
  it.each([
    'http://127.0.0.1:4871',
    'https://api.example.com/v1',
    'https://x.openai.azure.com/openai/deployments/judge/chat/completions?api-version=2025-01-01',
    'http://[::1]:8080/v1/',
  ])('accepts %s', (address) => expect(addressProblem(address)).toBeNull())

  it.each([
    'http://user:hunter2@host/v1',
    'http://:hunter2@host/v1',
    'http://hunter2@host',
    'http:\\\\user:hunter2@host',
    'http:user:hunter2@host',
  ])('refuses %s because it holds a credential, and does not repeat it', (address) => {
    expect(addressProblem(address)).toMatch(/^remove user name and password/)
    expect(addressProblem(address)).not.toContain('hunter2')
  })

  it.each(['key', 'api_key', 'apikey', 'access_token', 'sig', 'Ocp-Apim-Subscription-Key', '%6bey'])(
    'refuses a query parameter %s because it is named like a secret',
    (name) => expect(addressProblem(`http://host/v1?a=1&${name}=hunter2#x`)).toMatch(/^remove the query parameter/),
  )

  it.each(['', 'host', 'ftp://host', 'http://', 'http://ho st', `http://host/${'x'.repeat(2048)}`])(
    'refuses %j because it is no http address',
    (address) => expect(addressProblem(address)).toMatch(/^expected an/),
  )
})

it.each(['https://user:pass@host', 'https://:pass@host', 'https://host?api_key=1'])(
  'the judge panel of the manifest refuses the endpoint %s because it holds a credential',
  (endpoint) => {
    const parsed = JudgePanelSettings.safeParse({ enabled: false, endpoint, models: [] })
    expect(parsed.error?.issues.map(({ path }) => path)).toEqual([['endpoint']])
  },
)
