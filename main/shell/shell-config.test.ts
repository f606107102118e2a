import { expect, it } from 'vitest'
import { readShellConfig } from './shell-config.ts'

const env = {
  RAG_LADDER_PROJECT: '/from/env',
  RAG_LADDER_ENGINE_NODE: '/usr/bin/node',
  RAG_LADDER_ENGINE_URL: 'http://127.0.0.1:1',
  RAG_LADDER_ENGINE_TOKEN: 'token',
  RAG_LADDER_ENGINE_ENTRY: '/bundle/engine.js',
  ELECTRON_RENDERER_URL: 'http://127.0.0.1:5173',
}

it('takes the project from the argument before the environment, and minds no switch of Chromium', () => {
  expect(readShellConfig(['--no-sandbox', '--project', '/from/arg', '--lang=en'], env, false)).toEqual({
    project: '/from/arg',
    engineNode: '/usr/bin/node',
    outerEngine: { url: 'http://127.0.0.1:1', token: 'token' },
    engineEntry: '/bundle/engine.js',
    devServer: 'http://127.0.0.1:5173',
  })
  expect(readShellConfig([], env, false).project).toBe('/from/env')
  expect(readShellConfig([], {}, false)).toEqual({
    project: null,
    engineNode: null,
    outerEngine: null,
    engineEntry: null,
    devServer: null,
  })
})

it('reads nothing in a package that only serves development', () => {
  expect(readShellConfig([], env, true)).toMatchObject({ outerEngine: null, engineEntry: null, devServer: null })
})
