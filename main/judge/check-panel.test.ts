import { describe, expect, it, onTestFinished } from 'vitest'
import { JudgePanelSettings } from '../../contract/manifests/evaluation.ts'
import { BUILTINS, samplePanel } from '../../tests/helpers/judge-panel.ts'
import { nameButtonsInRemedies } from '../evidence/typed-command.ts'
import { readRunnerInputs } from '../manifests/runner-inputs.ts'
import { checkJudgePanel, panelSettings, resolveJudgePanel } from './panel-settings.ts'

const manifest = (fields: object = {}) => JudgePanelSettings.parse({ enabled: false, models: [], ...fields })
const resolved = (env: Record<string, string>, fields: object = {}) =>
  resolveJudgePanel(manifest(fields), readRunnerInputs(env))

describe('checkJudgePanel', () => {
  it.each([
    ['no judge', [], 'judge_models_missing'],
    ['one judge', ['qwen3:8b'], 'judge_models_too_few'],
    ['one judge twice', ['qwen3:8b', 'qwen3:8b'], 'judge_models_too_few'],
    ['two of one family', ['qwen3:8b', 'qwen2.5:7b'], 'judge_families_not_distinct'],
    ['three, two of one family', ['qwen3:8b', 'gpt-4.1', 'qwq'], 'judge_families_not_distinct'],
    ['an approach', ['qwen3:8b', 'vanilla-rag'], 'judge_is_approach'],
    ['a declared alias', ['qwen3:8b', 'my-own-flavor'], 'judge_is_approach'],
    ['a built-in that is none', ['qwen3:8b', 'builtin-oracle'], 'judge_unknown'],
  ])('refuses an enabled panel with %s', (_, models, code) => {
    const check = (): void => checkJudgePanel(samplePanel({ models }), ['my-own-flavor'])
    expect(check).toThrow(expect.objectContaining({ name: 'JudgePanelError', code }))
  })

  it('passes two families, two built-ins, and a disabled panel whatever it names', () => {
    checkJudgePanel(samplePanel())
    checkJudgePanel(samplePanel({ models: BUILTINS }))
    checkJudgePanel(samplePanel({ models: ['judge-1', 'judge-2'], families: { 'judge-1': 'a', 'judge-2': 'b' } }))
    checkJudgePanel(samplePanel({ enabled: false, models: [] }))
  })
})

describe('resolveJudgePanel', () => {
  it('does not send a key to an endpoint of the project, and says how it is allowed where the person reads it', () => {
    const resolve = () => resolved({ JUDGE_API_KEY: 'k' }, { endpoint: 'http://judge.test/v1' })
    expect(resolve).toThrow(/set JUDGE_ENDPOINT or run: rag-ladder trust http:\/\/judge\.test$/)
    nameButtonsInRemedies()
    onTestFinished(() => nameButtonsInRemedies(false))
    expect(resolve).toThrow(/If you trust it with the key, enter it as the address of the judges under Settings$/)
  })

  it('has the platform gateway, temperature 0 and thinking off by default', () => {
    expect(resolved({})).toEqual({
      enabled: false,
      endpoint: 'platform-gateway',
      apiKey: null,
      models: [],
      temperature: 0,
      think: false,
      rotations: null,
      reference: true,
      families: {},
    })
  })

  it('is enabled by JUDGE_MODELS, unless an option disables it', () => {
    expect(resolved({ JUDGE_MODELS: 'a, b' })).toMatchObject({ enabled: true, models: ['a', 'b'] })
    const inputs = readRunnerInputs({ JUDGE_MODELS: 'a,b' })
    expect(resolveJudgePanel(manifest(), inputs, { enabled: false }).enabled).toBe(false)
    expect(resolveJudgePanel(manifest(), inputs, { models: ['c', 'd'] }).models).toEqual(['c', 'd'])
  })

  it.each([
    ['the platform gets the manifest’s', {}, {}, false],
    ['null sends nothing', {}, { thinking: null }, null],
    ['omit sends nothing', { JUDGE_THINK: 'omit' }, { thinking: true }, null],
    ['the variable wins', { JUDGE_THINK: 'true' }, {}, true],
    ['a generic endpoint gets no default', { JUDGE_ENDPOINT: 'http://judge.test/v1' }, {}, null],
    ['nor the absent one of its own manifest', {}, { endpoint: 'http://judge.test' }, null],
    ['but an explicit false of its own manifest', {}, { endpoint: 'http://judge.test', thinking: false }, false],
    ['not one that was written for the platform', { JUDGE_ENDPOINT: 'http://judge.test' }, { thinking: false }, null],
    ['and what the variable asks for', { JUDGE_ENDPOINT: 'http://judge.test', JUDGE_THINK: 'false' }, {}, false],
    ['and an explicit true', { JUDGE_ENDPOINT: 'http://judge.test' }, { thinking: true }, true],
  ])('thinking: %s', (_, env, fields, think) => {
    expect(resolved(env as Record<string, string>, fields).think).toBe(think)
  })

  it('keeps the judges’ key from the platform gateway', () => {
    expect(resolved({ JUDGE_API_KEY: 'secret' }).apiKey).toBeNull()
    expect(resolved({ JUDGE_API_KEY: 'secret', JUDGE_ENDPOINT: 'http://judge.test' }).apiKey).toBe('secret')
  })

  it('takes families from the manifest and JUDGE_FAMILIES', () => {
    const panel = resolved({ JUDGE_FAMILIES: 'j-2=b' }, { families: { 'j-1': 'a', 'j-2': 'a' } })
    expect(panel.families).toEqual({ 'j-1': 'a', 'j-2': 'b' })
    expect(() => readRunnerInputs({ JUDGE_FAMILIES: 'j-2' })).toThrow(/JUDGE_FAMILIES/)
  })

  it('leaves the manifest’s form alone when nothing is asked for, so that configuration hashes stay', () => {
    const settings = manifest()
    expect(panelSettings(resolveJudgePanel(settings, readRunnerInputs({})), settings)).toEqual({
      ...settings,
      thinking: false,
    })
    const asked = panelSettings(resolved({ JUDGE_MODELS: 'a,b', JUDGE_API_KEY: 'secret' }), settings)
    expect(asked).toEqual({ ...settings, thinking: false, enabled: true, models: ['a', 'b'] })
  })
})
