// One HTML file with everything in it.
import { defineConfig, type Plugin } from "vite";

/** Puts scripts and styles into the page, so that it opens from disk. */
function inline(): Plugin {
  return {
    name: "inline",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      let html = String(page.source);
      for (const [name, part] of Object.entries(bundle)) {
        if (part.type === "chunk") {
          // The text of a script must not end its element.
          const code = part.code.replaceAll("</script", "<\\/script");
          html = html.replace(/<script type="module"[^>]*><\/script>/, () => "");
          html = html.replace("</body>", () => `<script type="module">${code}</script>\n</body>`);
          delete bundle[name];
        } else if (name.endsWith(".css")) {
          html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${String(part.source)}</style>`);
          delete bundle[name];
        }
      }
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [inline()],
  build: { target: "es2022", cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 2000 },
});
