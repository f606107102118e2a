import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { litellmConfig } from './litellm-config.ts'

const ALIASES = [
  { alias: 'hybrid-rag', base: 'hybrid-rag' },
  { alias: 'hybrid-rag-fast', base: 'hybrid-rag' },
] as const

it('the configuration of a LiteLLM proxy leads each alias to the route of its base approach and holds no key', () => {
  const text = litellmConfig(ALIASES, { platform: 'http://127.0.0.1:4871/v1/', routePrefix: '/rag' })
  expect(parse(text)).toEqual({
    model_list: ALIASES.map(({ alias }) => ({
      model_name: alias,
      litellm_params: {
        model: `openai/${alias}`,
        api_base: 'http://127.0.0.1:4871/rag/hybrid-rag/v1',
        api_key: 'os.environ/MATRIX_PLATFORM_TOKEN',
      },
    })),
    litellm_settings: { drop_params: false, num_retries: 0 },
    general_settings: { master_key: 'os.environ/LITELLM_MASTER_KEY' },
  })
})
