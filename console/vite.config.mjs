import { defineConfig } from 'vite'

/** The service serves what comes out below /console. */
// biome-ignore lint/style/noDefaultExport: Vite asks for it
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  logLevel: 'warn',
  esbuild: { jsx: 'automatic' },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    rollupOptions: {
      onwarn: (warning, warn) => {
        // Marks for servers that render React; there is none here.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
      },
    },
  },
})
