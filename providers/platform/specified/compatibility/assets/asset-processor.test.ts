import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { glbOf, sphere } from '../../../../../tests/helpers/glb-models.ts'
import { createLogger } from '../../../../kit/logger.ts'
import { createAssetProcessor } from './asset-processor.ts'
import type { AssetRequest } from './protocol.ts'
import { suiteFolder } from '../../../../../tests/helpers/temporary-folder.ts'

const folder = suiteFolder('asset-processor')
const input = join(folder, 'input.glb')
const processor = createAssetProcessor(createLogger('test', 'silent'))
beforeAll(async () => {
  // Seconds of work.
  await writeFile(input, await glbOf(sphere({ rings: 500, segments: 500 })))
})
afterAll(() => processor.close())

const request = (name: string): AssetRequest => ({
  input,
  output: join(folder, name),
  command: {
    command: 'bake',
    mode: 'bake',
    triangles: 1000,
    textureSize: 64,
    canonicalSize: 1,
    minBrightness: 0,
  },
})

it('kills the working process when its request is aborted: it writes nothing', async () => {
  const stop = new AbortController()
  const run = processor.run(request('aborted.glb'), stop.signal)
  setTimeout(() => stop.abort(), 200)
  // The end of the process, not the abort, ends the call.
  await expect(run).rejects.toThrow('the working process ended (SIGKILL)')
  expect(existsSync(join(folder, 'aborted.glb'))).toBe(false)
})

it('reports a file that it cannot read as a fault of this program, not of the model', async () => {
  const missing = { ...request('missing.glb'), input: join(folder, 'none.glb') }
  await expect(processor.run(missing, new AbortController().signal)).rejects.toThrow('ENOENT')
})
