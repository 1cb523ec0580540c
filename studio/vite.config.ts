// One HTML file with everything in it.
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** Notices of the packages that the page contains: their licences want to go with it. */
function notices(): Plugin {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const text = Object.keys(dependencies)
    .sort()
    .map((name) => {
      const { version, homepage } = JSON.parse(read(`node_modules/${name}/package.json`)) as Record<string, string>;
      return [`${name} ${version}`, homepage ?? "", "", read(`node_modules/${name}/LICENSE`).trim()].join("\n");
    })
    .join("\n\n\n");
  return {
    name: "notices",
    transformIndexHtml: (html) =>
      html.replace("<!--gelenk-notices-->", () => `<script type="text/plain" id="gelenk-notices">${text.replaceAll("</", "<\\/")}</script>`),
  };
}

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
  plugins: [notices(), inline()],
  build: { target: "es2022", cssCodeSplit: false, modulePreload: false, chunkSizeWarningLimit: 2000 },
});
