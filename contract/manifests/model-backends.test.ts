import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MODEL_BACKENDS, unsuitable, type Backend, type ModelChoice } from './model-backends.ts'
import { roleTask, type ModelRole } from './models.ts'

const ROOT = join(import.meta.dirname, '../..')
const AREAS = ['bin', 'charts', 'contract', 'main', 'preload', 'providers', 'renderer']
const BACKENDS = Object.keys(MODEL_BACKENDS) as Backend[]

const model = (backend: Backend, rest: object = {}): ModelChoice =>
  MODEL_BACKENDS[backend].settings.parse({ backend, model: 'm', ...rest })

describe('model backends', () => {
  it('every descriptor declares the settings of its own backend', () => {
    expect(BACKENDS.map((backend) => MODEL_BACKENDS[backend].settings.shape.backend.value)).toEqual(BACKENDS)
  })

  it('a model serves the roles whose work its backend, or its task, can do', () => {
    const onnx = (task: string): ModelChoice => model('onnx', { task })
    const openai = model('openai', { base_url: 'http://x' })
    const tei = model('tei', { base_url: 'http://x' })
    const builtin = model('builtin')
    const why = (role: ModelRole, choice: ModelChoice): string | null => unsuitable(roleTask(role), choice)
    expect(why('embed', onnx('embedding'))).toBeNull()
    expect(why('evaluator_embed', onnx('generation'))).toBe('the role needs the task embedding, not generation')
    expect(why('light_gen', onnx('rerank'))).toBe('the role needs the task generation, not rerank')
    expect(why('rerank', onnx('rerank'))).toBeNull()
    expect(why('rerank', openai)).toMatch(/^the openai backend cannot rerank; use builtin, .*\btei\b/)
    expect(why('rerank', tei)).toBeNull()
    expect(why('embed', tei)).toMatch(/^the tei backend cannot embed texts; use builtin, .*\bopenai\b/)
    expect(why('rerank', builtin)).toBeNull()
  })

  it('no product file other than the descriptors and the table of openers lists or compares backends', () => {
    const files = globSync(`{${AREAS.join(',')}}/**/*.{ts,tsx,mjs}`, { cwd: ROOT, exclude: ['**/node_modules/**'] })
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !/\.test\.tsx?$/.test(file))
    expect(files.length).toBeGreaterThan(300)
    const compared = new RegExp(
      `(?:choice|model)s?\\??\\.backend\\s*[!=]==\\s*'|backend\\s*[!=]==\\s*'(?:${BACKENDS.join('|')})'`,
    )
    const listing = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      const named = BACKENDS.filter(
        (backend) => text.includes(`'${backend}'`) || new RegExp(`^ +${backend}: `, 'm').test(text),
      )
      return named.length > 1 || compared.test(text)
    })
    expect(listing.sort()).toEqual([
      'contract/manifests/model-backends.ts',
      // The error bodies of OpenAI's and TEI's protocols, which this platform answers in too.
      'providers/kit/error-family.ts',
      'providers/platform/models/backends.ts',
    ])
  })
})
